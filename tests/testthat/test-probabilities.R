scores <- function(table) {
  opinions <- probability_opinions(as_predictions(table))
  setNames(opinions$estimate, opinions$metric)
}

test_that("documented values of scikit-learn come out", {
  # sklearn.metrics.log_loss: 0.21616...
  table <- binary(c("spam", "ham", "ham", "spam"), c(0.9, 0.1, 0.2, 0.65), c("ham", "spam"))
  expect_equal(unname(scores(table)["log_loss"]), 0.21616187468057912)
  # sklearn.metrics.brier_score_loss: 0.0375
  table <- binary(c("0", "1", "1", "0"), c(0.1, 0.9, 0.8, 0.3), c("0", "1"))
  expect_equal(unname(scores(table)["brier_score"]), 0.0375)
  # the same with three classes: 0.44 / 3, not halved there
  table <- data.frame(
    true_label = c("eggs", "ham", "spam"), pred_prob_eggs = c(0.8, 0.2, 0.2),
    pred_prob_ham = c(0.1, 0.7, 0.2), pred_prob_spam = c(0.1, 0.1, 0.6)
  )
  expect_equal(unname(scores(table)["brier_score"]), 0.44 / 3 / 2)
})

test_that("the worst and the best table have the bounds of the registry", {
  worst <- scores(binary(c("neg", "pos"), c(1, 0)))
  expect_equal(unname(worst), c(-log(2^-52), 1))
  best <- scores(binary(c("neg", "pos"), c(0, 1)))
  expect_equal(unname(best), c(-log(1 - 2^-52), 0))
})

test_that("half is log(2) and a quarter", {
  expect_equal(unname(scores(binary(c("neg", "pos"), c(0.5, 0.5)))), c(log(2), 0.25))
})
