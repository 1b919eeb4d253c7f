"""An experiment on a Dask cluster: here two workers on this machine, elsewhere an address.

On a cluster that is there, leave out `LocalCluster` and give its address as `scheduler`; the
workers need the same version of Rankwise, and one thread each.
"""

import rankwise as rw
from rankwise.data.synthetic import make_dataset

if __name__ == "__main__":
    from distributed import LocalCluster

    made = rw.normalize(make_dataset(40), "query-level")
    rw.write_folds(rw.split_folds(made), "folds")
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        run = rw.bench(
            data="folds",
            rankers="best-feature,linear-regression",
            measures=["MAP"],
            engine="dask",
            scheduler=cluster.scheduler_address,
            store="study.sqlite",
        )
    print(run)
    for summary in run.summaries():
        for row in summary.rows:
            print(row.method, row.figures)
