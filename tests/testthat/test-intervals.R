test_that("the mean of proportions has the interval of Zou, Huang and Zhang (2009)", {
  # With two proportions it is Newcombe's (1998) method 10 for their difference, the second one
  # turned round: 56/70 - 48/80, table II of
  # doi:10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I, is 0.0524 to 0.3339.
  successes <- c(56, 80 - 48)
  trials <- c(70, 80)
  ends <- wilson(successes, trials, 0.95)
  mean <- mover_mean(successes / trials, ends$lower, ends$upper)
  expect_equal(round(2 * unlist(mean) - 1, 4), c(lower = 0.0524, upper = 0.3339))
})

test_that("the interval of the balanced accuracy is MOVER's, never without width", {
  p <- decided(rep(c("a", "b"), c(20, 10)), rep(c("a", "b"), c(20, 10)), c("a", "b"))
  row <- subset(confusion(p)$overall, metric == "balanced_accuracy")
  ends <- wilson(c(20, 10), c(20, 10), 0.95)
  expect_equal(row$lower, 1 - sqrt(sum((1 - ends$lower)^2)) / 2)
  expect_identical(row$upper, 1)
  expect_identical(row$method, "MOVER (Wilson)")
})

test_that("kappa has the standard error of Fleiss, Cohen and Everitt (1969)", {
  # vcd::Kappa(table)$Unweighted["ASE"]; psych::cohen.kappa() gives the same.
  counts <- as.table(matrix(
    c(44, 5, 1, 7, 20, 3, 9, 5, 6), 3,
    dimnames = list(prediction = letters[1:3], truth = letters[1:3])
  ))
  error <- cell_error(kappa_influence(counts), counts, counts)
  expect_equal(error, 0.07212745929334068)
})

test_that("F1 has the exact interval of a proportion, Lam, Gopal and Qian (2023)", {
  # Given TP + FP + FN = 9, TP = 5 is binomial.
  p <- decided(rep(c("pos", "neg"), c(7, 10)), c(rep("pos", 5), "neg", "neg", rep("pos", 2),
                                                 rep("neg", 8)), c("neg", "pos"))
  row <- subset(confusion(p)$overall, metric == "f1")
  theirs <- as.numeric(binom.test(5, 9)$conf.int)
  expect_equal(row$estimate, 2 * 5 / (2 * 5 + 2 + 2))
  expect_equal(c(row$lower, row$upper), 2 * theirs / (1 + theirs))
})

test_that("delta intervals stay in range and are symmetric on their scale", {
  logit <- delta_interval(0.97, 0.05, "logit", 0.95)
  expect_equal(qlogis(logit$upper) - qlogis(0.97), qlogis(0.97) - qlogis(logit$lower))
  expect_true(logit$lower > 0 && logit$upper < 1)
  fisher <- delta_interval(-0.95, 0.1, "fisher", 0.9)
  expect_equal(atanh(fisher$upper) - atanh(-0.95), atanh(-0.95) - atanh(fisher$lower))
  expect_true(fisher$lower > -1)
  log <- delta_interval(0.2, 0.3, "log", 0.95)
  expect_equal(log$upper / 0.2, 0.2 / log$lower)
  expect_equal(delta_interval(2, 1, "identity", 0.95)$upper, 2 + qnorm(0.975))
})

test_that("Newcombe's interval of an AUC solves its equation", {
  # Newcombe (2006), method 5: variance of Hanley and McNeil (1982) under exponential scores,
  # both sizes but the product replaced by (m + n) / 2 - 1.
  variance <- function(theta, m, n) {
    size <- (m + n) / 2 - 1
    theta * (1 - theta) * (1 + size * (1 - theta) / (2 - theta) + size * theta / (1 + theta)) /
      (m * n)
  }
  for (auc in c(0.1, 0.5, 0.93)) {
    ends <- unlist(newcombe_auc(auc, 12, 30, 0.95))
    expect_equal(abs(ends - auc), qnorm(0.975) * sqrt(variance(ends, 12, 30)))
  }
  ends <- newcombe_auc(1, 4, 4, 0.95)
  expect_equal(1 - ends$lower, qnorm(0.975) * sqrt(variance(ends$lower, 4, 4)))
  expect_identical(ends$upper, 1)
  expect_equal(newcombe_auc(0, 1, 9, 0.9)$upper, 1 - newcombe_auc(1, 1, 9, 0.9)$lower)
})

test_that("the AUC's other intervals are those that they are named for", {
  p <- read_predictions(fixture("ok_ties_200.csv"))
  delong <- auc_ci(p)
  logit <- auc_ci(p, interval = "logit")
  half <- qnorm(0.975) * delong$std_error / (delong$estimate * (1 - delong$estimate))
  expect_equal(
    c(logit$lower, logit$upper), plogis(qlogis(delong$estimate) + c(-1, 1) * half)
  )
  newcombe <- auc_ci(p, interval = "newcombe")
  expect_identical(newcombe$method, "Newcombe")
  expect_identical(newcombe$reason, NA_character_)
  boot <- auc_ci(p, interval = "bootstrap", replicates = 1000)
  for (other in list(logit, newcombe, boot)) {
    expect_identical(other$estimate, delong$estimate)
    expect_equal(other$lower, delong$lower, tolerance = 0.05)
    expect_equal(other$upper, delong$upper, tolerance = 0.05)
  }
})

test_that("macro F1 takes the correlation of the classes' F1 into account", {
  # With equal variances that are small, MOVER's half width tends to z times the delta method's
  # standard error: a large table.
  counts <- as.table(matrix(
    c(40000, 6000, 2000, 5000, 30000, 4000, 3000, 5000, 25000), 3,
    dimnames = list(prediction = letters[1:3], truth = letters[1:3])
  ))
  tallied <- list(counts = counts, squares = counts, rows = counts)
  row <- macro_f1_opinion(class_values(tallied), tallied, 0.95)
  expect_equal((row$upper - row$lower) / 2, qnorm(0.975) * row$std_error, tolerance = 1e-3)
  correlation <- influence_correlation(f1_influences(as_numbers(counts)), counts)
  expect_true(all(correlation[upper.tri(correlation)] > 0))
})
