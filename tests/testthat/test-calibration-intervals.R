calibrated <- function(table, ..., replicates = 20) {
  calibration(table, ..., replicates = replicates)
}

number <- function(found, metric, estimator = NULL, class = NULL, column = "estimate") {
  value(list(metrics = found$values), metric, estimator, class, column)
}

ends <- function(found, metric, ...) {
  c(number(found, metric, ..., column = "lower"), number(found, metric, ..., column = "upper"))
}

# Scores in (0, 1), events with the logit of the score times `slope`.
simulated <- function(seed, n, slope = 1, base = 0) {
  set.seed(seed)
  logit <- rnorm(n, base)
  binary(ifelse(runif(n) < plogis(slope * logit), "pos", "neg"), plogis(logit))
}

# How the estimates move with the weight of each row, times that weight: by finite differences.
jackknife_errors <- function(table, metrics, estimator, class = NULL) {
  estimates <- function(weight) {
    table$weight <- weight
    found <- calibrated(table, bins = 1, replicates = 2)
    vapply(metrics, function(metric) number(found, metric, estimator, class), 0)
  }
  step <- 1e-4
  moved <- vapply(seq_len(nrow(table)), function(row) {
    by <- step * (seq_len(nrow(table)) == row)
    (estimates(table$weight + by) - estimates(table$weight - by)) / (2 * step) * table$weight[[row]]
  }, numeric(length(metrics)))
  stats::setNames(sqrt(rowSums(rbind(moved)^2)), metrics)
}

test_that("with case weights, standard errors are those of finite differences", {
  expect_errors <- function(table, metrics, estimator, class = NULL) {
    found <- calibrated(table, bins = 1)
    expected <- jackknife_errors(table, metrics, estimator, class)
    for (metric in metrics) {
      expect_equal(
        number(found, metric, estimator, class, "std_error"), expected[[metric]], tolerance = 1e-5
      )
    }
  }
  table <- simulated(1, 20)
  table$weight <- round(rexp(20) + 0.1, 2)
  expect_errors(
    table, c(
      "brier_score", "brier_score_sum", "log_loss", "calibration_intercept", "calibration_slope",
      "brier_uncertainty"
    ), "binary"
  )
  # With scores of 0 among them.
  table <- random_table(2, 20, k = 3)
  table$weight <- round(rexp(20) + 0.1, 2)
  expect_errors(table, "brier_uncertainty", "multiclass")
  expect_errors(table, "calibration_slope", "one_vs_rest", "b")
})

test_that("without weights, Wald's interval is near that of the bootstrap", {
  table <- simulated(3, 800, slope = 0.7)
  found <- calibrated(table)
  y <- table$true_label == "pos"
  x <- qlogis(table$pred_prob_pos)
  set.seed(1)
  draws <- replicate(300, {
    rows <- sample.int(800, replace = TRUE)
    c(
      calibration_intercept = coef(glm(y[rows] ~ 1, offset = x[rows], family = binomial))[[1]],
      calibration_slope = coef(glm(y[rows] ~ x[rows], family = binomial))[[2]]
    )
  })
  for (metric in rownames(draws)) {
    expect_equal(number(found, metric, column = "std_error"), sd(draws[metric, ]), tolerance = 0.15)
  }
})

test_that("the uncertainty of two classes has the interval of the prevalence", {
  uncertainty <- function(events, n) {
    ends(
      calibrated(binary(rep(c("pos", "neg"), c(events, n - events)), rep(0.5, n))),
      "brier_uncertainty"
    )
  }
  exact <- as.numeric(binom.test(12, 80)$conf.int)
  expect_equal(uncertainty(12, 80), exact * (1 - exact))
  expect_equal(uncertainty(68, 80), exact * (1 - exact))
  # Around a half, the greatest value is inside.
  exact <- as.numeric(binom.test(45, 80)$conf.int)
  expect_equal(uncertainty(45, 80), c(min(exact * (1 - exact)), 0.25))
  expect_equal(uncertainty(0, 5), c(0, 0.25))
})

test_that("the terms of the decomposition have basic bootstrap intervals", {
  table <- simulated(4, 400, slope = 0.6)
  found <- calibrated(table, bins = 4, replicates = 1500)
  score <- table$pred_prob_pos
  happened <- table$true_label == "pos"
  bin <- cut(rank(score), c(0, 100, 200, 300, 400))
  # Written with deviations of rows, over rows drawn by sample().
  terms <- function(rows) {
    p <- score[rows]
    y <- happened[rows]
    p_bin <- ave(p, bin[rows])
    y_bin <- ave(as.numeric(y), bin[rows])
    resolution <- mean((y_bin - mean(y))^2)
    variance <- mean((p - p_bin)^2)
    covariance <- 2 * mean((p - p_bin) * (y - y_bin))
    c(
      brier_reliability = mean((p_bin - y_bin)^2), brier_resolution = resolution,
      brier_within_bin_variance = variance, brier_within_bin_covariance = covariance,
      brier_generalized_resolution = resolution - variance + covariance
    )
  }
  estimate <- terms(1:400)
  set.seed(2)
  draws <- replicate(1500, terms(sample.int(400, replace = TRUE)))
  for (term in names(estimate)) {
    expect_equal(number(found, term), estimate[[term]])
    basic <- 2 * estimate[[term]] - quantile(draws[term, ], c(0.975, 0.025), names = FALSE)
    expect_equal(ends(found, term), basic, tolerance = 0.06)
    expect_equal(
      number(found, term, column = "std_error"), sd(draws[term, ]), tolerance = 0.06
    )
    expect_identical(number(found, term, column = "method"), "bootstrap (basic)")
  }
})

test_that("the decomposition adds up to the Brier score, whatever the bins", {
  for (k in c(2, 4)) for (binning in c("quantile", "width")) for (bins in c(1, 3, 10)) {
    table <- random_table(bins, 60, k)
    table$weight <- round(rexp(60) + 0.05, 2)
    found <- calibrated(table, bins = bins, binning = binning)
    of <- function(term) number(found, paste0("brier_", term))
    expect_equal(
      of("reliability") - of("resolution") + of("uncertainty") + of("within_bin_variance") -
        of("within_bin_covariance"),
      of("score"), tolerance = 1e-12
    )
    expect_equal(
      of("reliability") - of("generalized_resolution") + of("uncertainty"), of("score"),
      tolerance = 1e-12
    )
  }
})

test_that("where a bin holds one score, the terms are Murphy's, and no more", {
  table <- binary(
    rep(c("pos", "neg", "pos", "neg"), c(3, 7, 8, 2)), rep(c(0.2, 0.6), each = 10)
  )
  found <- calibrated(table, bins = 2)
  expect_equal(number(found, "brier_reliability"), ((0.2 - 0.3)^2 + (0.6 - 0.8)^2) / 2)
  expect_equal(number(found, "brier_resolution"), ((0.3 - 0.55)^2 + (0.8 - 0.55)^2) / 2)
  expect_equal(number(found, "brier_uncertainty"), 0.55 * 0.45)
  expect_identical(number(found, "brier_within_bin_variance"), 0)
  expect_identical(number(found, "brier_within_bin_covariance"), 0)
})

test_that("a calibration error far from 0 has the interval of a mean", {
  # In one bin the error is |mean(y - p)|, of which the normal interval is known.
  table <- simulated(5, 500, slope = 1, base = 1)
  table$true_label <- ifelse(table$pred_prob_pos > 0.9, table$true_label, "neg")
  found <- calibrated(table, bins = 1, replicates = 2000)
  gap <- table$pred_prob_pos - (table$true_label == "pos")
  error <- sd(gap) / sqrt(500)
  for (metric in c("expected_calibration_error", "maximum_calibration_error")) {
    expect_equal(number(found, metric), mean(gap))
    expect_equal(
      ends(found, metric), mean(gap) + c(-1, 1) * qnorm(0.975) * error, tolerance = 0.02
    )
    expect_equal(number(found, metric, column = "std_error"), error, tolerance = 0.06)
  }
})

test_that("at the ends of the interval the estimate is unusual", {
  # A second route, with normal noise of the variance of a mean in each bin.
  table <- simulated(6, 1500, slope = 0.4)
  found <- calibrated(table, bins = 5, replicates = 2000)
  bin <- cut(rank(table$pred_prob_pos), seq(0, 1500, 300))
  difference <- (table$true_label == "pos") - table$pred_prob_pos
  gap <- as.numeric(tapply(difference, bin, mean))
  error <- as.numeric(tapply(difference, bin, sd)) / sqrt(300)
  estimate <- mean(abs(gap))
  expect_equal(number(found, "expected_calibration_error"), estimate)
  set.seed(3)
  noise <- matrix(rnorm(5 * 20000), 5) * error
  sizes <- function(end) colMeans(abs(noise + end / estimate * gap))
  interval <- ends(found, "expected_calibration_error")
  expect_equal(mean(sizes(interval[[1]]) > estimate), 0.025, tolerance = 0.4)
  expect_equal(mean(sizes(interval[[2]]) < estimate), 0.025, tolerance = 0.4)
})

test_that("the interval of a calibration error covers, with probabilities that hold and not", {
  # The errors over ten bins of two million rows of the same kind.
  for (case in list(list(slope = 1, error = 0.0009), list(slope = 0.5, error = 0.0791))) {
    covers <- vapply(1:50, function(seed) {
      found <- calibrated(simulated(seed, 300, case$slope), replicates = 100)
      interval <- ends(found, "expected_calibration_error")
      interval[[1]] <= case$error && case$error <= interval[[2]]
    }, NA)
    # Percentiles, which take no account of the bias, would hardly ever cover the first.
    expect_gt(mean(covers), 0.8)
  }
})

test_that("what a calibrated model would have is drawn from the scores", {
  # Two rows in one bin: the error is |y1 + y2 - p1 - p2| / 2, exactly.
  table <- binary(c("pos", "neg"), c(0.3, 0.6))
  found <- calibrated(table, bins = 1, replicates = 4000)$expected_if_calibrated
  size <- abs(c(0, 1, 1, 2) - 0.9) / 2
  chance <- c(0.7 * 0.4, 0.3 * 0.4, 0.7 * 0.6, 0.3 * 0.6)
  expect_equal(found$expected[[1]], sum(size * chance), tolerance = 0.02)
  expect_equal(found$estimate[[1]], 0.05)
  # Of three classes as well: the class itself is drawn, once for all events.
  table <- data.frame(
    true_label = "a", pred_prob_a = 0.5, pred_prob_b = 0.3, pred_prob_c = 0.2
  )
  found <- calibrated(table, bins = 1, replicates = 4000)$expected_if_calibrated
  found <- found[found$metric == "expected_calibration_error", ]
  expect_identical(found$estimator, c("top_label", "macro", rep("one_vs_rest", 3)))
  each <- 2 * c(0.5, 0.3, 0.2) * c(0.5, 0.7, 0.8)
  expect_equal(found$expected, c(0.5, mean(each), each), tolerance = 0.03)
})

test_that("a seed gives one result, and leaves the caller's random numbers alone", {
  table <- simulated(7, 60)
  set.seed(5)
  expected <- runif(2)
  set.seed(5)
  first <- runif(1)
  one <- calibrated(table, seed = 1)
  expect_identical(c(first, runif(1)), expected)
  expect_identical(calibrated(table, seed = 1), one)
  other <- calibrated(table, seed = 2)
  expect_identical(other$values$estimate, one$values$estimate)
  expect_false(identical(other$values$lower, one$values$lower))
})

for (k in c(2, 3)) for (binning in c("quantile", "width")) {
  label <- paste0("(", k, " classes, by ", binning, ")")
  table <- random_table(8, 60, k)
  numbers <- function(table) {
    found <- calibrated(table, bins = 4, binning = binning)
    list(found$values$estimate, found$curve[c("predicted", "observed", "share")])
  }

  test_that(paste("the order of the rows does not matter", label), {
    expect_equal(numbers(table[sample.int(60), ]), numbers(table))
  })

  test_that(paste("the names of the classes do not matter", label), {
    renamed <- table
    names <- c("10", "2", "A")[seq_len(k)]
    renamed$true_label <- names[match(table$true_label, letters)]
    names(renamed)[-1] <- paste0("pred_prob_", names)
    expect_equal(numbers(renamed), numbers(table))
  })

  test_that(paste("a weight of k is k copies; equal weights are none", label), {
    weight <- rep(1:3, 20)
    copies <- table[rep(1:60, weight), ]
    expect_equal(numbers(cbind(table, weight = weight)), numbers(copies), ignore_attr = TRUE)
    expect_identical(
      calibrated(cbind(table, weight = 0.3), binning = binning)$values,
      calibrated(table, binning = binning)$values
    )
  })

  test_that(paste("only the ratios of the weights matter", label), {
    weight <- round(rexp(60) + 0.05, 3)
    one <- calibrated(cbind(table, weight = weight), binning = binning)
    other <- calibrated(cbind(table, weight = 7e5 * weight), binning = binning)
    expect_equal(other$values, one$values)
    expect_equal(other$curve, one$curve)
  })
}

test_that("the other class as positive turns the intercept round, and keeps the rest", {
  table <- random_table(9, 60)
  one <- calibrated(table, positive = "b", bins = 1)
  other <- calibrated(table, positive = "a", bins = 1)
  turned <- one$values$estimate
  at <- one$values$metric == "calibration_intercept"
  turned[at] <- -turned[at]
  expect_equal(other$values$estimate, turned)
})
