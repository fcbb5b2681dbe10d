test_that("samples keep the size of every stratum", {
  strata <- rep(c("a", "b"), c(30, 5))
  sizes <- bootstrap(
    function(weights) c(sum(weights[strata == "a"]), sum(weights[strata == "b"])), strata,
    rep(1, 35), replicates = 50, seed = 1
  )
  expect_identical(unique(sizes[, 1]), 30)
  expect_identical(unique(sizes[, 2]), 5)
})

test_that("the standard error of a mean comes out", {
  set.seed(2)
  x <- rexp(200)
  draws <- bootstrap(
    function(weights) sum(weights * x) / sum(weights), rep(1, 200), rep(1, 200), 2000, seed = 3
  )
  expect_equal(sd(draws), sd(x) * sqrt(199 / 200) / sqrt(200), tolerance = 0.05)
})

test_that("case weights stay with their rows", {
  weights <- c(1, 2, 4)
  draws <- bootstrap(identity, c("a", "b", "c"), weights, 5, seed = 1)
  expect_equal(draws, matrix(rep(weights, each = 5), 5))
})

test_that("a seed gives one result, and leaves the caller's random numbers alone", {
  p <- fixture("ok_ties_200.csv")
  interval <- function(seed) {
    auc <- auc_ci(p, interval = "bootstrap", replicates = 50, seed = seed)
    c(auc$lower, auc$upper)
  }
  set.seed(5)
  expected <- runif(2)
  set.seed(5)
  first <- runif(1)
  one <- interval(1)
  expect_identical(c(first, runif(1)), expected)
  expect_identical(interval(1), one)
  expect_false(identical(interval(2), one))
})

test_that("the interval is of percentiles, and near pROC's", {
  table <- random_table(6, n = 150)
  ours <- auc_ci(table, interval = "bootstrap", replicates = 2000)
  roc <- pROC::roc(
    response = table$true_label, predictor = table$pred_prob_b, levels = c("a", "b"),
    direction = "<", quiet = TRUE
  )
  set.seed(1)
  theirs <- as.numeric(pROC::ci.auc(roc, method = "bootstrap", boot.n = 2000, progress = "none"))
  expect_equal(c(ours$lower, ours$upper), theirs[c(1, 3)], tolerance = 0.02)
  # pROC's middle value is the median of the samples; ours is the AUC.
  expect_identical(ours$estimate, as.numeric(roc$auc))
})

test_that("samples that are all alike give no interval, and say so", {
  auc <- auc_ci(fixture("ok_perfect.csv"), interval = "bootstrap", replicates = 20)
  expect_identical(auc$estimate, 1)
  expect_true(is.na(auc$lower))
  expect_identical(auc$reason, "no interval: every bootstrap sample gives the same number")
})

test_that("replicates and seed are checked", {
  p <- fixture("ok_binary.csv")
  for (replicates in list(1, 2.5, NA, "a", c(10, 20), Inf)) {
    expect_error(
      auc_ci(p, interval = "bootstrap", replicates = replicates), class = "rside_error_argument"
    )
  }
  for (seed in list(0.5, NA, "a", NULL, 1e10)) {
    expect_error(auc_ci(p, interval = "bootstrap", seed = seed), class = "rside_error_argument")
  }
})
