from .estimator import RankwiseRanker as RankwiseRanker
from .query_split import QuerySplit as QuerySplit
from .searches import GridSearchCV as GridSearchCV
from .searches import RandomizedSearchCV as RandomizedSearchCV
from .wrong_input import WrongInput as WrongInput
