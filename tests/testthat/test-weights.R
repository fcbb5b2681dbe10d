weighted_table <- function(seed, n = 60, k = 2) {
  table <- random_table(seed, n, k)
  table$weight <- round(rexp(n) + 0.05, 3)
  table
}

numbers <- c("estimate", "std_error", "lower", "upper")

for (k in c(2, 4)) {
  label <- paste0("(", k, " classes)")

  test_that(paste("every estimate takes a weight of k for k copies", label), {
    for (seed in 1:3) {
      table <- random_table(seed, 50, k)
      table$weight <- sample(0:3, 50, replace = TRUE)
      # Whatever the weights, every class occurs and is predicted.
      table$weight[1:k] <- 2
      copies <- table[rep(seq_len(50), table$weight), names(table) != "weight"]
      expect_equal(validate(table)$metrics$estimate, validate(copies)$metrics$estimate)
      expect_equal(
        as.data.frame(confusion(table))$n, as.numeric(as.data.frame(confusion(copies))$n)
      )
    }
  })

  test_that(paste("equal weights are no weights, and rows of weight 0 are no rows", label), {
    table <- random_table(4, 50, k)
    plain <- validate(table)
    equal <- validate(cbind(table, weight = 0.3))
    expect_identical(equal$metrics, plain$metrics)
    expect_identical(equal$confusion, plain$confusion)
    expect_setequal(equal$notes$code, c(plain$notes$code, "weights_equal"))
    kept <- rep(c(0, 1), length.out = 50)
    some <- validate(cbind(table, weight = kept))
    expect_identical(some$metrics, validate(table[kept == 1, ])$metrics)
    expect_identical(some$n, 25)
    note <- some$notes$text[some$notes$code == "zero_weights"]
    expect_identical(note, "25 rows left out of every number: the `weight` is 0.")
  })

  test_that(paste("only the ratios of the weights matter", label), {
    table <- weighted_table(5, k = k)
    scaled <- table
    scaled$weight <- 1e6 * table$weight
    expect_equal(validate(scaled)$metrics, validate(table)$metrics)
  })

  # The second route to every standard error: how the estimate moves when a row's weight does.
  test_that(paste("standard errors are those of the numerical derivatives", label), {
    table <- weighted_table(6, n = 40, k = k)
    p <- as_predictions(table)
    metrics <- validate(p)$metrics
    step <- 1e-5
    moved <- function(row, by) {
      p$weight[row] <- p$weight[row] + by
      validate(p)$metrics$estimate
    }
    derivatives <- vapply(
      seq_len(nrow(p)), function(row) (moved(row, step) - moved(row, -step)) / (2 * step),
      numeric(nrow(metrics))
    )
    numerical <- sqrt(rowSums(t(t(derivatives) * p$weight)^2))
    # DeLong's small-sample factors, at most sqrt(m / (m - 1)), are no part of a derivative.
    is_auc <- metrics$metric == "roc_auc"
    is_boyd <- metrics$metric == "average_precision"
    smallest <- min(table(p$true_label))
    plain <- !is_auc & !is_boyd
    expect_equal(metrics$std_error[plain], numerical[plain], tolerance = 1e-6)
    ratio <- metrics$std_error[is_auc] / numerical[is_auc]
    expect_true(all(ratio >= 1 & ratio <= sqrt(smallest / (smallest - 1)) + 1e-6))
  })
}

test_that("weighted estimates are scikit-learn's with sample_weight", {
  # y = [0, 0, 1, 1, 1, 0]; s = [.1, .4, .35, .8, .6, .6]; w = [1, 2, .5, 3, 1.5, 1]
  table <- binary(
    c("0", "0", "1", "1", "1", "0"), c(0.1, 0.4, 0.35, 0.8, 0.6, 0.6), c("0", "1"),
    weight = c(1, 2, 0.5, 3, 1.5, 1)
  )
  report <- validate(table)
  expect_equal(value(report, "accuracy"), 0.8333333333333334) # accuracy_score
  expect_equal(value(report, "balanced_accuracy"), 0.825) # balanced_accuracy_score
  expect_equal(value(report, "cohen_kappa"), 0.6582278481012658) # cohen_kappa_score
  expect_equal(value(report, "mcc"), 0.6625413488689132) # matthews_corrcoef
  expect_equal(value(report, "f1"), 0.8571428571428571) # f1_score
  expect_equal(value(report, "roc_auc"), 0.8875) # roc_auc_score
  expect_equal(value(report, "average_precision"), 0.9079545454545455) # average_precision_score
  expect_equal(value(report, "log_loss"), 0.4448758496561019) # log_loss
  expect_equal(value(report, "brier_score"), 0.1401388888888889) # brier_score_loss
})

test_that("a weighted proportion rests on Korn and Graubard's effective trials", {
  # share * (1 - share) over the variance of survey 4.1-1, without its factor n / (n - 1):
  # design <- survey::svydesign(~1, weights = ~w, data = data.frame(correct, w))
  # as.numeric(survey::SE(survey::svymean(~correct, design)))^2 * 9 / 10 is 0.02647056591459296
  correct <- c(1, 1, 0, 1, 0, 1, 1, 0, 1, 1)
  w <- c(1, 2, 3, 1, 0.5, 2, 2, 1, 1, 3)
  share <- sum(w * correct) / sum(w)
  trials <- effective_trials(sum(w * correct), sum(w), sum(w^2 * correct), sum(w^2))
  expect_equal(trials, share * (1 - share) / 0.02647056591459296)
  expect_equal(effective_trials(5, 5, 7, 7), 25 / 7)
  expect_identical(effective_trials(3, 5, 3, 5), 5)
  # Never more trials than rows, whatever the weights.
  table <- binary(c("neg", "pos"), c(0.2, 0.3), weight = c(1e6, 1e-3))
  accuracy <- subset(validate(table)$metrics, metric == "accuracy")
  expect_lt(accuracy$lower, 0.2)
})

test_that("tests of counts are not defined with case weights, and say so", {
  tests <- confusion(weighted_table(7))$tests
  expect_true(all(is.na(tests$p_value)))
  expect_identical(unique(tests$reason), "not defined with case weights")
})

test_that("the weights are told, with their worth in rows", {
  table <- random_table(9, n = 4)
  table$weight <- c(1, 1, 1, 5)
  notes <- validate(table)$notes
  expect_match(notes$text[notes$code == "weights_used"], "4 rows are worth 2.3", fixed = TRUE)
})

test_that("weights of one class only, and a single row left, are no error", {
  table <- random_table(10, n = 20)
  table$weight <- as.numeric(table$true_label == "a")
  expect_identical(value(validate(table), "roc_auc", column = "reason"),
                   "only class 'a' occurs in the truth")
  table$weight <- c(1, rep(0, 19))
  expect_identical(validate(table)$n, 1)
})

test_that("sums of weights that differ by rounding are no error", {
  # 1 - (0.1 + 0.2 + 0.7) and the like: nothing is left, but for 1e-17.
  table <- data.frame(
    true_label = c("a", "a", "b"), pred_prob_a = c(1, 1, 0), pred_prob_b = c(0, 0, 1),
    weight = c(0.1718387, 0.1036401, 0.1589221), pred_label = c("b", "a", "b")
  )
  expect_equal(value(validate(table), "specificity"), 0.1036401 / (0.1718387 + 0.1036401))
  all_right <- table
  all_right$pred_label <- table$true_label
  accuracy <- subset(validate(all_right)$metrics, metric == "accuracy")
  expect_identical(c(accuracy$estimate, accuracy$upper), c(1, 1))
})

test_that("weights of any size are taken", {
  table <- weighted_table(11)
  for (size in c(1e-160, 1e160)) {
    scaled <- table
    scaled$weight <- table$weight * size
    expect_equal(validate(scaled)$metrics, validate(table)$metrics)
    expect_equal(validate(scaled)$confusion / size, validate(table)$confusion * 1)
  }
})
