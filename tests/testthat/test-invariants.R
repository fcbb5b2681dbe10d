for (k in c(2, 4)) for (seed in 1:3) {
  label <- paste0("(", k, " classes, seed ", seed, ")")
  table <- random_table(seed, n = 50, k = k)

  test_that(paste("the order of the rows does not matter", label), {
    shuffled <- table[sample(nrow(table)), ]
    expect_equal(validate(shuffled)$metrics, validate(table)$metrics)
  })

  test_that(paste("the names of the classes do not matter", label), {
    names <- c("10", "2", "A", "a b")[seq_len(k)]
    renamed <- table
    renamed$true_label <- names[match(table$true_label, letters)]
    names(renamed)[-1] <- paste0("pred_prob_", names)
    expect_identical(validate(renamed)$metrics$estimate, validate(table)$metrics$estimate)
  })

  test_that(paste("the order of the classes does not matter", label), {
    # The class order settles a tie of probabilities, so the decision is given.
    table$pred_label <- sample(table$true_label)
    order <- rev(letters[seq_len(k)])
    known <- as_predictions(table, positive = if (k == 2) "b")
    turned <- as_predictions(table, classes = order, positive = if (k == 2) "b")
    rows <- function(p) {
      metrics <- validate(p)$metrics
      metrics[order(metrics$metric, metrics$estimator, metrics$class), c("estimate", "lower")]
    }
    expect_equal(rows(turned), rows(known), ignore_attr = TRUE)
  })
}

test_that("a monotone transform keeps the AUC and its interval", {
  table <- random_table(11)
  bent <- binary(table$true_label, table$pred_prob_b^3, c("a", "b"))
  expect_equal(unclass(auc_ci(bent)), unclass(auc_ci(table)))
})

test_that("the other class as positive keeps the AUC, with its own scores", {
  table <- random_table(12)
  expect_equal(auc_ci(table, positive = "a")$estimate, auc_ci(table, positive = "b")$estimate)
  swapped <- table
  names(swapped)[2:3] <- names(table)[3:2]
  expect_equal(auc_ci(swapped)$estimate, 1 - auc_ci(table)$estimate)
})

test_that("doubling every row keeps every estimate", {
  table <- random_table(13, k = 3)
  expect_equal(
    validate(rbind(table, table))$metrics$estimate, validate(table)$metrics$estimate
  )
})

test_that("swapping truth and predictions swaps sensitivity and precision", {
  classes <- c("a", "b", "c")
  set.seed(14)
  truth <- c(classes, sample(classes, 30, replace = TRUE))
  prediction <- c(classes, sample(classes, 30, replace = TRUE))
  one <- validate(decided(truth, prediction, classes))
  other <- validate(decided(prediction, truth, classes))
  for (class in classes) {
    expect_equal(
      value(one, "sensitivity", "one_vs_rest", class),
      value(other, "precision", "one_vs_rest", class)
    )
  }
  expect_equal(value(one, "accuracy"), value(other, "accuracy"))
  expect_equal(value(one, "mcc"), value(other, "mcc"))
})
