"""Gates between rooms: Great Expectations suites written as Python, over data frames handed to them.

dbt's tests hold what is true of a row; these hold shares, ranges, distributions, and volume against what
was published last.
"""
