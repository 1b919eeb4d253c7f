"""The method that place_a_method.py places: anything with `fit` and `predict` is one."""


class Centroid:
    """From the irrelevant towards the relevant documents, after Rocchio (1971)."""

    grid = {"relevant": [1, 2]}  # noqa: RUF012  what tuning tries

    def __init__(self, relevant=1):
        self.relevant = relevant

    def fit(self, X, y):
        """Learn a weight for each feature."""
        good = y >= self.relevant
        self.coef_ = X[good].mean(axis=0) - X[~good].mean(axis=0)

    def predict(self, X):
        """A score a row."""
        return X @ self.coef_
