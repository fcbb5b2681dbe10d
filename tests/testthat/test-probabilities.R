scores <- function(table) {
  opinions <- probability_opinions(as_predictions(table), 0.95)
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

test_that("the standard error is that of a mean", {
  table <- random_table(3, n = 60, k = 3)
  rows <- probability_opinions(as_predictions(table), 0.9)
  losses <- row_log_loss(as.matrix(table[-1]), match(table$true_label, letters))
  expect_equal(rows$std_error[1], sd(losses) * sqrt(59 / 60) / sqrt(60))
  z <- qnorm(0.95)
  expect_equal(log(rows$upper[1]), log(mean(losses)) + z * rows$std_error[1] / mean(losses))
  expect_identical(rows$method, c("delta (log)", "delta (logit)"))
})

test_that("the intervals are near those of the bootstrap", {
  table <- random_table(4, n = 300)
  p <- as_predictions(table)
  rows <- probability_opinions(p, 0.95)
  losses <- row_brier(probabilities_of(p), as.integer(p$true_label), "b")
  draws <- bootstrap(
    function(times) weighted_mean(losses, times), rep(1, 300), rep(1, 300), 2000, 1
  )
  expect_equal(
    c(rows$lower[2], rows$upper[2]), unname(quantile(draws, c(0.025, 0.975))), tolerance = 0.02
  )
})
