proc_of <- function(table) {
  pROC::roc(
    response = table$true_label, predictor = table[[3]],
    levels = sub("pred_prob_", "", names(table)[2:3]), direction = "<", quiet = TRUE
  )
}

heights <- function(table, of, at) {
  roc_band(table, of = of, at = at, replicates = 2)$values$estimate
}

by_coords <- function(roc, of, at) {
  pROC::coords(
    roc, x = at, input = fixed_of(of), ret = of, transpose = FALSE
  )[[of]]
}

test_that("the curve is read as pROC::coords() reads it, between and at its points", {
  for (seed in 1:10) {
    table <- random_table(seed)
    roc <- proc_of(table)
    for (of in c("sensitivity", "specificity")) {
      observed <- if (of == "sensitivity") roc$specificities else roc$sensitivities
      at <- sort(unique(c(0, 1, runif(20), observed)))
      expect_equal(heights(table, of, at), by_coords(roc, of, at))
    }
  }
})

test_that("the aSAH study comes out, with the intervals of ci.se() and ci.sp()", {
  data("aSAH", package = "pROC", envir = environment())
  table <- binary(as.character(aSAH$outcome), aSAH$s100b / 4, c("Good", "Poor"))
  roc <- proc_of(table)
  # The specificities of the example in help(ci.se).
  at <- c(0.85, 0.9, 0.95)
  for (of in c("sensitivity", "specificity")) {
    ours <- roc_band(table, of = of, at = at, replicates = 1000)$values
    expect_equal(ours$estimate, by_coords(roc, of, at))
    set.seed(3)
    ci <- if (of == "sensitivity") pROC::ci.se else pROC::ci.sp
    theirs <- unclass(ci(roc, at, boot.n = 1000, progress = "none"))
    expect_lt(max(abs(ours$lower - theirs[, 1])), 0.05)
    expect_lt(max(abs(ours$upper - theirs[, 3])), 0.05)
  }
})

test_that("a share such as 0.15 meets the point at 3 / 20, whatever the rounding", {
  # All positives lie between the third and the fourth negative: the curve jumps at 3 / 20.
  steps <- binary(rep(c("neg", "pos"), c(20, 20)), c(seq(0.025, 0.975, by = 0.05), rep(0.152, 20)))
  expect_identical(heights(steps, "sensitivity", seq(0, 0.15, by = 0.05)), rep(1, 4))
  expect_identical(heights(steps, "sensitivity", seq(0, 1, by = 0.05)[5:21]), rep(0, 17))
})

test_that("where only the positives vary, the interval is that of their binomial distribution", {
  # All negatives score 0.1, and 70 of 100 positives above them: these are found at a specificity
  # of 1.
  table <- binary(rep(c("neg", "pos"), each = 100), rep(c(0.1, 0.05, 0.5), c(100, 30, 70)))
  band <- roc_band(table, at = 1, replicates = 2000)$values
  expect_equal(band$estimate, 0.7)
  expect_equal(
    c(band$lower, band$upper), qbinom(c(0.025, 0.975), 100, 0.7) / 100, tolerance = 0.015
  )
  expect_equal(band$std_error, sqrt(0.7 * 0.3 / 100), tolerance = 0.05)
})

test_that("the whole band is near pROC's", {
  table <- random_table(7, n = 150)
  roc <- proc_of(table)
  at <- seq(0.1, 0.9, by = 0.1)
  ours <- roc_band(table, at = at, replicates = 500)$values
  set.seed(5)
  theirs <- unclass(pROC::ci.se(roc, at, boot.n = 500, progress = "none"))
  expect_lt(max(abs(ours$lower - theirs[, 1]), abs(ours$upper - theirs[, 3])), 0.06)
})

test_that("the other class taken for positive turns the curve round", {
  for (seed in 1:5) {
    table <- random_table(seed)
    at <- c(0.2, 0.5, 0.9)
    expect_equal(
      roc_band(table, "a", "sensitivity", at, replicates = 2)$values$estimate,
      roc_band(table, "b", "specificity", at, replicates = 2)$values$estimate
    )
  }
})

test_that("order of rows and monotone transforms do not matter; weights of k are k copies", {
  table <- random_table(6)
  at <- c(0, 0.31, 0.62, 0.93)
  expected <- heights(table, "sensitivity", at)
  expect_equal(heights(table[sample(60), ], "sensitivity", at), expected)
  squared <- table
  squared$pred_prob_b <- table$pred_prob_b^2
  squared$pred_prob_a <- 1 - squared$pred_prob_b
  expect_equal(heights(squared, "sensitivity", at), expected)
  table$weight <- sample(1:3, 60, replace = TRUE)
  copies <- table[rep(1:60, table$weight), names(table) != "weight"]
  weighted <- roc_band(table, at = at, replicates = 50)
  expect_equal(weighted$values$estimate, heights(copies, "sensitivity", at))
  table$weight <- 100 * table$weight
  expect_equal(roc_band(table, at = at, replicates = 50)$values, weighted$values)
})

test_that("values are sorted, once each, and only they depend on `at`", {
  table <- random_table(1)
  band <- roc_band(table, at = c(0.9, 0.5, 0.9), replicates = 20)
  expect_identical(band$values$specificity, c(0.5, 0.9))
  expect_identical(
    roc_band(table, at = 0.9, replicates = 20)$values$lower, band$values$lower[2]
  )
  expect_named(
    roc_band(table, of = "specificity", at = 0.9, replicates = 20)$values[1:2],
    c("sensitivity", "metric")
  )
})

test_that("degenerate tables say why there is no number or interval", {
  reasons <- function(name, ...) {
    unique(roc_band(fixture(paste0("ok_", name, ".csv")), ..., replicates = 20)$values$reason)
  }
  one_class <- "only class 'cat' occurs in the truth"
  expect_identical(reasons("one_class_truth"), one_class)
  expect_identical(reasons("one_class_truth", positive = "cat"), one_class)
  expect_identical(
    reasons("one_case"), "no interval: fewer than two examples of class 'dog'"
  )
  same <- "no interval: every bootstrap sample gives the same number"
  expect_identical(reasons("perfect"), same)
  expect_identical(reasons("constant"), same)
})

test_that("bad arguments are refused", {
  p <- fixture("ok_binary.csv")
  for (at in list(-0.1, 1.1, NA, "a", numeric())) {
    expect_error(roc_band(p, at = at), class = "rside_error_argument")
  }
  expect_error(roc_band(p, of = "recall"), class = "rside_error_argument")
  expect_error(roc_band(fixture("ok_multiclass.csv")), class = "rside_error_argument")
})

test_that("the result tells itself", {
  band <- roc_band(fixture("ok_ties_200.csv"), replicates = 50)
  text <- format(band)
  expect_match(text, "pointwise 95% interval", all = FALSE)
  expect_lte(max(nchar(text)), 80)
  expect_identical(unique(tidy(band)$term), "sensitivity")
  expect_true(all(c("specificity", "std.error", "conf.low") %in% names(tidy(band))))
  expect_identical(nrow(glance(band)), 1L)
  expect_identical(as.data.frame(band), band$values)
})

test_that("the picture draws, with gaps where there is no interval", {
  plot <- ggplot2::autoplot(roc_band(fixture("ok_ties_200.csv"), replicates = 50))
  expect_match(plot$labels$subtitle, "Pointwise 95% band of the sensitivity", fixed = TRUE)
  expect_match(plot$labels$subtitle, "n = 200: 103 'cat', 97 'dog'", fixed = TRUE)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (of in c("sensitivity", "specificity")) {
    for (name in c("ties_200", "perfect", "constant", "one_case", "binary")) {
      band <- roc_band(fixture(paste0("ok_", name, ".csv")), of = of, replicates = 20)
      expect_identical(plot(band), band)
    }
    gap <- roc_band(fixture("ok_ties_200.csv"), of = of, replicates = 20)
    gap$values[8:9, c("lower", "upper")] <- NA
    expect_identical(plot(gap), gap)
  }
  expect_error(
    ggplot2::autoplot(roc_band(fixture("ok_one_class_truth.csv"))), class = "rside_error_argument"
  )
})

test_that("long class names leave room for both counts", {
  line <- count_line(c(`a class with a very long name` = 3, `b\nc` = 1))
  expect_identical(line, "n = 4: 3 'a class with a ve...', 1 'b\\nc'")
})

test_that("far out, where simulated intervals failed, the reason says so", {
  set.seed(1)
  table <- binary(rep(c("neg", "pos"), c(30, 40)), c(rbeta(30, 2, 3), rbeta(40, 3, 2)))
  reason <- roc_band(table, at = c(0.5, 0.9, 0.99), replicates = 50)$values$reason
  expect_identical(reason, c(
    NA, "short: about 3 of class 'neg' beyond; with two, 88% were found to cover",
    "short: about 0.3 of class 'neg' beyond; with one, 72% were found to cover"
  ))
})
