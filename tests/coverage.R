# Line coverage of R/ by testthat, by file; an error under 95 %.
coverage <- covr::package_coverage(type = "tests", quiet = FALSE)
print(coverage)
share <- covr::percent_coverage(coverage)
if (share < 95) {
  print(covr::zero_coverage(coverage))
  stop(sprintf("%.1f %% of the lines are run by the tests, fewer than 95 %%.", share))
}
