from .estimator import RankwiseRanker as RankwiseRanker
from .estimator_data import WrongInput as WrongInput
from .searches import GridSearchCV as GridSearchCV
from .searches import QuerySplit as QuerySplit
from .searches import RandomizedSearchCV as RandomizedSearchCV
