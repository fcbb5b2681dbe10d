all_measures <- function(table) {
  lapply(measures_of(predictions_of(table)), function(measure) measure())
}

error_of <- function(measure, weights) influence_error(measure$influence, weights)

fixtures <- function() {
  list.files(fixture(""), "^ok_.*[.]csv$", full.names = TRUE)
}

weighted_table <- function(seed, k, n = 60) {
  table <- random_table(seed, n, k)
  table$weight <- sample(1:4, n, replace = TRUE)
  table
}

# What validate() says of the same number.
reported <- function(report, measure) {
  rows <- report$metrics
  rows <- rows[rows$metric == measure$metric & rows$estimator == measure$estimator, ]
  rows <- rows[is.na(rows$class), ]
  stopifnot(nrow(rows) == 1)
  rows
}

expect_as_reported <- function(table, label) {
  p <- predictions_of(table)
  report <- validate(p)
  at_weights <- measure_statistic(p)(weights_of(p))
  for (key in names(measures_of(p))) {
    measure <- measures_of(p)[[key]]()
    expect_identical(key, paste(measure$metric, measure$estimator, sep = "."))
    expect_length(measure$influence, nrow(p))
    row <- reported(report, measure)
    expect_equal(measure$estimate, row$estimate, info = paste(label, key))
    if (is.na(row$estimate)) {
      expect_identical(measure$reason, row$reason, info = paste(label, key))
      next
    }
    expect_equal(at_weights[[key]], row$estimate, info = paste(label, key))
    error <- error_of(measure, weights_of(p))
    # The report has Boyd's standard error.
    if (measure$metric == "average_precision") next
    # Where DeLong's variance is 0 or undefined, validate() gives Newcombe's interval instead.
    if (is.na(row$std_error)) {
      expect_true(is.na(error) || error < 1e-12)
    } else {
      expect_equal(error, row$std_error, info = paste(label, key))
    }
  }
}

test_that("estimates, errors and reasons are those of validate(), for every fixture", {
  expect_gt(length(fixtures()), 10)
  for (path in fixtures()) expect_as_reported(path, basename(path))
})

test_that("so they are with case weights and several classes", {
  for (seed in 1:3) for (k in c(2, 4)) {
    expect_as_reported(random_table(seed, k = k), seed)
    expect_as_reported(weighted_table(seed, k), seed)
  }
})

test_that("the numbers are the headline ones, in order", {
  expect_identical(names(all_measures(random_table(1))), paste0(c(
    "accuracy", "balanced_accuracy", "cohen_kappa", "mcc", "sensitivity", "specificity",
    "precision", "npv", "f1", "roc_auc", "average_precision", "log_loss", "brier_score"
  ), ".binary"))
  expect_identical(names(all_measures(random_table(1, k = 3))), c(
    paste0(c("accuracy", "balanced_accuracy", "cohen_kappa", "mcc"), ".multiclass"), "f1.macro",
    paste0("roc_auc.", c("hand_till", "macro", "macro_weighted", "micro")),
    "log_loss.multiclass", "brier_score.multiclass"
  ))
})

test_that("an influence is the derivative by the weight of its row", {
  # Central differences; DeLong's n - 1 makes the influence on an AUC a little greater.
  for (seed in 1:2) for (k in c(2, 3)) {
    p <- predictions_of(weighted_table(seed, k))
    statistic <- measure_statistic(p)
    weights <- weights_of(p)
    step <- 1e-4
    slopes <- vapply(seq_along(weights), function(i) {
      moved <- step * (seq_along(weights) == i)
      (statistic(weights + moved) - statistic(weights - moved)) / (2 * step)
    }, statistic(weights))
    for (key in names(measures_of(p))) {
      measure <- measures_of(p)[[key]]()
      expect_equal(sum(weights * measure$influence), 0, tolerance = 1e-8)
      expect_equal(
        measure$influence, slopes[key, ] * sum(weights),
        tolerance = if (measure$metric == "roc_auc") 0.1 else 1e-5, info = key
      )
    }
  }
})

test_that("a weight of k counts as k rows, and one of 0 as none", {
  for (k in c(2, 3)) {
    table <- random_table(5, k = k)
    times <- rep_len(c(0, 1, 2, 3), nrow(table))
    copied <- predictions_of(table[rep(seq_along(times), times), ])
    expect_equal(
      measure_statistic(predictions_of(table))(times),
      measure_statistic(copied)(rep(1, nrow(copied)))
    )
  }
})

test_that("the greatest scores may have a weight of 0", {
  p <- predictions_of(binary(c("pos", "neg", "pos", "neg"), c(0.9, 0.8, 0.7, 0.6)))
  expect_equal(measure_statistic(p)(c(0, 0, 1, 1))[["average_precision.binary"]], 1)
})

test_that("what is undefined says why, and has no influence", {
  one <- all_measures(fixture("ok_one_class_truth.csv"))
  for (key in c("sensitivity", "mcc", "roc_auc", "average_precision")) {
    measure <- one[[paste0(key, ".binary")]]
    expect_identical(measure$estimate, NA_real_)
    expect_true(all(is.na(measure$influence)))
  }
  expect_identical(one$roc_auc.binary$reason, "only class 'cat' occurs in the truth")
  expect_identical(one$sensitivity.binary$reason, "class 'dog' does not occur in the truth")
  expect_identical(
    all_measures(binary(c("pos", "pos"), c(0.5, 0.75)))$roc_auc.binary$reason,
    "only class 'pos' occurs in the truth"
  )
  several <- random_table(1, k = 3)
  several$true_label <- "b"
  expect_identical(
    all_measures(several)$roc_auc.macro$reason, "only class 'b' occurs in the truth"
  )
})

test_that("a single row of a class leaves the estimate, without an error", {
  single <- all_measures(fixture("ok_one_case.csv"))$roc_auc.binary
  expect_false(is.na(single$estimate))
  expect_true(all(is.na(single$influence)))
  expect_identical(single$reason, "no interval: fewer than two examples of class 'dog'")
  expect_identical(single$left_out, NA_character_)
})
