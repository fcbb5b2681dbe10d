# Two proportions of the same rows, or of different ones: intervals of their difference, and tests.

# The rows whose share of right decisions a metric is; of others, NULL.
proportion_rows <- function(metric, predictions) {
  switch(metric,
    accuracy = rep(TRUE, nrow(predictions)),
    sensitivity = predictions$true_label == facts(predictions)$positive,
    specificity = predictions$true_label != facts(predictions)$positive
  )
}

is_right <- function(predictions) decision_of(predictions) == predictions$true_label

# Newcombe (1998), method 10: Wilson's intervals of both shares, and their correlation, with a
# continuity correction. `both` rows are right by both models, `first` and `second` by one only.
newcombe_paired <- function(both, first, second, neither, conf_level) {
  n <- both + first + second + neither
  share <- c(both + first, both + second) / n
  ends <- wilson(share * n, c(n, n), conf_level)
  below <- share - ends$lower
  above <- ends$upper - share
  phi <- paired_correlation(both, first, second, neither)
  distance <- function(x, y) sqrt(x^2 - 2 * phi * x * y + y^2)
  list(
    lower = share[[1]] - share[[2]] - distance(below[[1]], above[[2]]),
    upper = share[[1]] - share[[2]] + distance(below[[2]], above[[1]])
  )
}

paired_correlation <- function(both, first, second, neither) {
  n <- both + first + second + neither
  margins <- c(both + first, second + neither, both + second, first + neither)
  if (any(margins == 0)) {
    return(0)
  }
  excess <- both * neither - first * second
  corrected <- if (excess > 0) max(excess - n / 2, 0) else excess
  corrected / prod(sqrt(margins))
}

# Tango (1998): the differences that a score test does not reject; at 0 it is McNemar's test.
tango <- function(first, second, n, conf_level) {
  z <- normal_quantile(conf_level)
  list(lower = tango_lower(first, second, n, z), upper = -tango_lower(second, first, n, z))
}

tango_lower <- function(first, second, n, z) {
  difference <- (first - second) / n
  excess <- function(delta) {
    # The likelihood's maximum for the share of `second` where the difference is `delta`.
    b <- (2 * n - first + second) * delta - first - second
    share <- (sqrt(b^2 + 8 * n * second * delta * (1 - delta)) - b) / (4 * n)
    variance <- n * (2 * share + delta * (1 - delta))
    n * (difference - delta) - z * sqrt(max(variance, 0))
  }
  # At the difference itself the variance may be 0, which would be a root as well.
  ends <- c(-1, difference - 1e-10)
  if (ends[[2]] <= -1) -1 else stats::uniroot(excess, ends, tol = 1e-14)$root
}

# Newcombe (1998), method 10 for independent samples: Wilson's intervals of both.
newcombe_difference <- function(successes, trials, conf_level) {
  share <- successes / trials
  ends <- wilson(successes, trials, conf_level)
  list(
    lower = share[[1]] - share[[2]] -
      sqrt((share[[1]] - ends$lower[[1]])^2 + (ends$upper[[2]] - share[[2]])^2),
    upper = share[[1]] - share[[2]] +
      sqrt((ends$upper[[1]] - share[[1]])^2 + (share[[2]] - ends$lower[[2]])^2)
  )
}

# --- one metric ----------------------------------------------------------------

# `of_a` and `of_b` say of each row whether the model is right. The statistic is that of the test
# which belongs to the difference, the root of the uncorrected chi-squared.
paired_proportion <- function(of_a, of_b, conf_level, method) {
  first <- count_true(of_a & !of_b)
  second <- count_true(!of_a & of_b)
  ends <- if (method == "tango") {
    tango(first, second, length(of_a), conf_level)
  } else {
    newcombe_paired(
      count_true(of_a & of_b), first, second, count_true(!of_a & !of_b), conf_level
    )
  }
  list(
    ends = ends, method = if (method == "tango") "Tango" else "Newcombe (paired)",
    statistic = if (first + second > 0) (first - second) / sqrt(first + second) else NA_real_,
    reason = if (first + second == 0) nothing_differs else NA_character_
  )
}

unpaired_proportion <- function(of_a, of_b, conf_level) {
  counts <- rbind(table_of_right(of_a), table_of_right(of_b))
  chi_squared <- two_proportions_statistic(counts, correct = FALSE)
  list(
    ends = newcombe_difference(counts[, 1], rowSums(counts), conf_level), method = "Newcombe",
    statistic = sign(mean(of_a) - mean(of_b)) * sqrt(chi_squared),
    reason = if (is.na(chi_squared)) all_alike else NA_character_
  )
}

nothing_differs <- "no test: no row is right by one model and wrong by the other"

all_alike <- "no test: every row of both models is right, or every one is wrong"

table_of_right <- function(right) c(correct = count_true(right), wrong = count_true(!right))

# Products of integers overflow at 2^31.
count_true <- function(rows) as.numeric(sum(rows))

# --- tests of accuracy -----------------------------------------------------------

correctness_tests <- function(a, b, paired) {
  of_a <- is_right(a)
  of_b <- is_right(b)
  weighted <- is_weighted(a) || is_weighted(b)
  if (paired) paired_tests(of_a, of_b, weighted) else unpaired_tests(of_a, of_b, weighted)
}

paired_tests <- function(of_a, of_b, weighted) {
  by_model <- function(right) factor(right, c(TRUE, FALSE), c("correct", "wrong"))
  counts <- table(a = by_model(of_a), b = by_model(of_b))
  tests <- list(
    mcnemar = mcnemar(correct = FALSE), mcnemar_corrected = mcnemar(correct = TRUE),
    mcnemar_exact = mcnemar_exact
  )
  run_tests(tests, counts, weighted, if (discordant(counts) == 0) nothing_differs)
}

unpaired_tests <- function(of_a, of_b, weighted) {
  counts <- rbind(a = table_of_right(of_a), b = table_of_right(of_b))
  tests <- list(
    two_proportions = two_proportions(correct = FALSE),
    two_proportions_corrected = two_proportions(correct = TRUE), fisher_exact = fisher_exact
  )
  run_tests(tests, counts, weighted, if (any(colSums(counts) == 0)) all_alike)
}

run_tests <- function(tests, counts, weighted, undefined) {
  if (weighted) undefined <- no_weights
  rows <- Map(function(name, test) {
    if (is.null(undefined)) test(name, counts) else no_test(name, undefined)
  }, names(tests), tests)
  do.call(rbind, unname(rows))
}

two_proportions <- function(correct) {
  function(name, counts) {
    statistic <- two_proportions_statistic(counts, correct)
    test_row(name, statistic, 1, stats::pchisq(statistic, 1, lower.tail = FALSE))
  }
}

# Pearson's chi-squared, with Yates' correction or without.
two_proportions_statistic <- function(counts, correct) {
  n <- sum(counts)
  cross <- abs(counts[[1, 1]] * counts[[2, 2]] - counts[[1, 2]] * counts[[2, 1]])
  margins <- c(rowSums(counts), colSums(counts))
  if (any(margins == 0)) {
    return(NA_real_)
  }
  n * (max(cross - correct * n / 2, 0) / prod(sqrt(margins)))^2
}

# The statistic is the conditional estimate of the odds ratio.
fisher_exact <- function(name, counts) {
  test <- stats::fisher.test(counts)
  test_row(name, unname(test$estimate), NA_real_, test$p.value)
}
