"""Assets, one module a kind of work: landing files, building with dbt, publishing."""
