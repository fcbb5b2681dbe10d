library(testthat)
library(rside)

test_check("rside", stop_on_warning = TRUE)
