area <- function(pr, metric, column = "estimate") pr$values[pr$values$metric == metric, column]

# Every positive's precision at its own score, by counting.
counted_precision <- function(score, is_positive) {
  mean(vapply(score[is_positive], function(s) mean(is_positive[score >= s]), 0))
}

# One threshold after the other, as a reader would with a pencil.
pencil_trapezoid <- function(score, is_positive) {
  area <- 0
  # Recall, precision.
  before <- c(0, 1)
  for (threshold in sort(unique(score), decreasing = TRUE)) {
    called <- score >= threshold
    now <- c(sum(is_positive & called) / sum(is_positive), mean(is_positive[called]))
    area <- area + (now[[1]] - before[[1]]) * (now[[2]] + before[[2]]) / 2
    before <- now
  }
  area
}

test_that("scikit-learn's documented example comes out", {
  # help of precision_recall_curve and average_precision_score; the area is auc(recall, precision)
  pr <- pr_curve(
    binary(c("0", "0", "1", "1"), c(0.1, 0.4, 0.35, 0.8), c("0", "1")), replicates = 50
  )
  expect_identical(pr$curve$threshold, c(0.8, 0.4, 0.35, 0.1))
  expect_equal(pr$curve$recall, c(0.5, 0.5, 1, 1))
  expect_equal(pr$curve$precision, c(1, 0.5, 2 / 3, 0.5))
  expect_equal(area(pr, "average_precision"), 0.8333333333333333)
  expect_equal(area(pr, "pr_auc_trapezoid"), 0.7916666666666666)
  expect_identical(pr$prevalence, 0.5)
})

test_that("both areas are scikit-learn's, with ties and with case weights", {
  # y, s from the file; p, r, _ = precision_recall_curve(y, s)
  # average_precision_score(y, s) and auc(r, p); the same with weights w
  pr <- pr_curve(fixture("ok_ties_200.csv"), replicates = 50)
  expect_equal(area(pr, "average_precision"), 0.7355372236711406)
  expect_equal(area(pr, "pr_auc_trapezoid"), 0.7338370695180829)
  expect_equal(pr$prevalence, 0.485)
  expect_identical(nrow(pr$curve), 170L)
  table <- binary(
    c("0", "0", "1", "1", "1", "0"), c(0.1, 0.4, 0.35, 0.8, 0.6, 0.6), c("0", "1"),
    weight = c(1, 2, 0.5, 3, 1.5, 1)
  )
  weighted <- pr_curve(table, replicates = 50)
  expect_equal(area(weighted, "average_precision"), 0.9079545454545455)
  expect_equal(area(weighted, "pr_auc_trapezoid"), 0.9339772727272728)
  expect_equal(weighted$curve$precision, c(1, 0.81818182, 0.6, 0.625, 0.55555556), tolerance = 1e-7)
  expect_equal(weighted$curve$recall, c(0.6, 0.9, 0.9, 1, 1))
  expect_equal(weighted$prevalence, 5 / 9)
})

test_that("both areas are those of counting, over random tables with ties", {
  for (seed in 1:10) {
    table <- random_table(seed)
    pr <- pr_curve(table, replicates = 2)
    is_positive <- table$true_label == "b"
    expect_equal(area(pr, "average_precision"), counted_precision(table$pred_prob_b, is_positive))
    expect_equal(area(pr, "pr_auc_trapezoid"), pencil_trapezoid(table$pred_prob_b, is_positive))
    expect_equal(area(pr, "average_precision"), value(validate(table), "average_precision"))
  }
})

test_that("guessing has the prevalence for its average precision, and more for the trapezoid", {
  pr <- pr_curve(binary(rep(c("neg", "pos"), c(9, 1)), rep(0.5, 10)), replicates = 2)
  expect_equal(area(pr, "average_precision"), 0.1)
  # Along the line from (0, 1) to (1, prevalence): the optimism that the help page tells of.
  expect_equal(area(pr, "pr_auc_trapezoid"), (1 + 0.1) / 2)
})

test_that("a threshold of the curve gives its decisions with >=", {
  p <- read_predictions(fixture("ok_ties_200.csv"))
  curve <- as.data.frame(pr_curve(p, replicates = 2))
  expect_false(is.unsorted(-curve$threshold, strictly = TRUE))
  for (row in c(1, 2, 50, nrow(curve))) {
    called <- p$pred_prob_dog >= curve$threshold[row]
    expect_equal(mean(called[p$true_label == "dog"]), curve$recall[row])
    expect_equal(mean(p$true_label[called] == "dog"), curve$precision[row])
  }
})

test_that("the influence of a row is the derivative by its weight", {
  for (seed in 1:3) {
    table <- random_table(seed, n = 40)
    is_positive <- table$true_label == "b"
    weights <- round(rexp(40) + 0.1, 2)
    of_weights <- function(weights) average_precision(table$pred_prob_b, is_positive, weights)
    estimate <- function(weights) of_weights(weights)$estimate
    step <- 1e-6
    derivative <- vapply(seq_along(weights), function(row) {
      by <- step * (seq_along(weights) == row)
      (estimate(weights + by) - estimate(weights - by)) / (2 * step)
    }, 0)
    influence <- of_weights(weights)$influence
    expect_equal(influence, derivative * sum(weights), tolerance = 1e-6)
    expect_equal(sum(weights * influence), 0)
  }
})

# The infinitesimal jackknife within each class: Efron (1982), by numerical derivatives.
jackknife_error <- function(estimate, strata) {
  n <- length(strata)
  derivative <- vapply(seq_len(n), function(row) {
    by <- 1e-5 * (seq_len(n) == row)
    (estimate(1 + by) - estimate(1 - by)) / 2e-5
  }, 0)
  sqrt(sum((derivative - ave(derivative, strata))^2))
}

test_that("the bootstrap is what its derivatives say, and Boyd's interval is near it", {
  set.seed(11)
  is_positive <- rep(c(FALSE, TRUE), c(250, 150))
  score <- round(plogis(rnorm(400) + 1.5 * is_positive), 2)
  table <- binary(ifelse(is_positive, "pos", "neg"), score)
  logit <- pr_curve(table, replicates = 1000)
  boot <- pr_curve(table, interval = "bootstrap", replicates = 1000)
  expect_identical(area(logit, "average_precision", "method"), "Boyd (logit)")
  expect_identical(area(boot, "average_precision", "method"), "bootstrap (percentile)")
  expect_identical(area(logit, "pr_auc_trapezoid", "method"), "bootstrap (percentile)")
  for (end in c("lower", "upper")) {
    expect_equal(
      area(logit, "average_precision", end), area(boot, "average_precision", end), tolerance = 0.05
    )
  }
  areas <- list(
    average_precision = average_precision_of_calls, pr_auc_trapezoid = trapezoid_of_calls
  )
  for (name in names(areas)) {
    by_weights <- function(weights) areas[[name]](calls(ranking(score), is_positive, weights))
    expect_equal(
      area(boot, name, "std_error"), jackknife_error(by_weights, is_positive), tolerance = 0.1
    )
  }
})

test_that("neither order of rows, names, nor a monotone transform matters", {
  table <- random_table(4)
  numbers <- function(table) {
    pr <- pr_curve(table, replicates = 2)
    cbind(area = pr$values$estimate, error = pr$values$std_error[1], prevalence = pr$prevalence)
  }
  expected <- numbers(table)
  expect_equal(numbers(table[sample(60), ]), expected)
  squared <- table
  squared$pred_prob_b <- table$pred_prob_b^2
  squared$pred_prob_a <- 1 - squared$pred_prob_b
  expect_equal(numbers(squared), expected)
  renamed <- table
  renamed$true_label <- toupper(table$true_label)
  names(renamed)[2:3] <- c("pred_prob_A", "pred_prob_B")
  expect_equal(numbers(renamed), expected)
})

test_that("weights of k are k copies, and only their ratios matter", {
  table <- random_table(5)
  table$weight <- sample(1:3, 60, replace = TRUE)
  copies <- table[rep(1:60, table$weight), names(table) != "weight"]
  weighted <- pr_curve(table, interval = "bootstrap", replicates = 50)
  expect_equal(weighted$values$estimate, pr_curve(copies, replicates = 2)$values$estimate)
  expect_equal(weighted$curve, pr_curve(copies, replicates = 2)$curve)
  scaled <- table
  scaled$weight <- 0.01 * table$weight
  expect_equal(pr_curve(scaled, interval = "bootstrap", replicates = 50)$values, weighted$values)
  equal <- cbind(random_table(5), weight = 7)
  expect_identical(
    pr_curve(equal, replicates = 20)$values, pr_curve(random_table(5), replicates = 20)$values
  )
})

test_that("without positives nothing is defined; without negatives everything is 1, and told", {
  none <- pr_curve(fixture("ok_one_class_truth.csv"))
  expect_true(all(is.na(none$values$estimate)))
  expect_identical(unique(none$values$reason), "only class 'cat' occurs in the truth")
  expect_identical(nrow(none$curve), 0L)
  expect_identical(none$prevalence, 0)
  only <- pr_curve(fixture("ok_one_class_truth.csv"), positive = "cat", replicates = 20)
  expect_identical(only$values$estimate, c(1, 1))
  expect_true(all(is.na(only$values$lower)))
  expect_match(only$values$reason, "^only class 'cat' occurs in the truth; no interval: ")
  expect_identical(only$prevalence, 1)
})

test_that("degenerate tables have no interval rather than a false one", {
  perfect <- pr_curve(fixture("ok_perfect.csv"), replicates = 20)
  expect_identical(perfect$values$estimate, c(1, 1))
  expect_identical(perfect$values$reason, c(
    "no interval: the estimated variance is 0",
    "no interval: every bootstrap sample gives the same number"
  ))
  one_case <- pr_curve(fixture("ok_one_case.csv"), interval = "bootstrap", replicates = 20)
  expect_true(all(is.na(one_case$values$lower)))
  expect_identical(
    unique(one_case$values$reason), "no interval: fewer than two examples of class 'dog'"
  )
  weights <- c(0.1, 0.7, 0.3, 0.9)
  weighted <- binary(rep(c("neg", "pos"), each = 2), c(0.1, 0.2, 0.7, 0.8), weight = weights)
  expect_true(all(is.na(pr_curve(weighted, replicates = 50)$values$lower)))
  single <- pr_curve(binary(c("neg", "pos"), c(0.9, 0.2)), replicates = 20)
  expect_equal(area(single, "average_precision"), 0.5)
  row <- pr_curve(binary("pos", 0.4), replicates = 20)
  expect_identical(row$values$estimate, c(1, 1))
})

test_that("percentiles that coincide are told, not given as an interval", {
  flat <- bootstrap_opinion("x", "binary", 1, c(rep(1, 999), 0.5), 0.95)
  expect_identical(c(flat$lower, flat$upper), c(NA_real_, NA_real_))
  expect_identical(flat$method, NA_character_)
  expect_identical(
    flat$reason, "no interval: nearly every bootstrap sample gives the same number"
  )
})

test_that("the interval of the average precision is that of Boyd, Eng and Page (2013)", {
  # doi:10.1007/978-3-642-40994-3_29, section 3.2: eta = log(a / (1 - a)),
  # tau = 1 / sqrt(n a (1 - a)), n the number of positives.
  values <- pr_curve(fixture("ok_ties_200.csv"), conf_level = 0.9, replicates = 2)$values
  a <- values$estimate[1]
  n <- sum(read_predictions(fixture("ok_ties_200.csv"))$true_label == "dog")
  eta <- log(a / (1 - a)) + c(-1, 1) * qnorm(0.95) / sqrt(n * a * (1 - a))
  expect_equal(c(values$lower[1], values$upper[1]), exp(eta) / (1 + exp(eta)))
})

test_that("more than two classes and bad arguments are refused, with the way out", {
  refusal <- expect_error(pr_curve(fixture("ok_multiclass.csv")), class = "rside_error_argument")
  expect_match(conditionMessage(refusal), "one class against the rest", fixed = TRUE)
  p <- fixture("ok_binary.csv")
  expect_error(pr_curve(p, interval = "exact"), class = "rside_error_argument")
  expect_error(pr_curve(p, conf_level = 1), class = "rside_error_argument")
  expect_error(pr_curve(p, replicates = 0), class = "rside_error_argument")
})

test_that("the result tells itself", {
  pr <- pr_curve(fixture("ok_ties_200.csv"), replicates = 50)
  text <- format(pr)
  expect_match(text, "0.4850", all = FALSE)
  expect_match(text, "pr_auc_trapezoid", all = FALSE)
  expect_lte(max(nchar(text)), 82)
  expect_false(any(grepl("optimistic", format(pr_curve(fixture("ok_one_class_truth.csv"))))))
  expect_identical(tidy(pr)$term, c("average_precision", "pr_auc_trapezoid"))
  expect_true(all(c("std.error", "conf.low", "conf.high") %in% names(tidy(pr))))
  row <- glance(pr)
  expect_identical(nrow(row), 1L)
  expect_equal(row$average_precision, area(pr, "average_precision"))
  expect_identical(as.data.frame(pr), pr$curve)
  expect_null(pr$call)
})

test_that("the picture has steps of the average precision's area, and says n and interval", {
  pr <- pr_curve(fixture("ok_ties_200.csv"), replicates = 50)
  plot <- ggplot2::autoplot(pr)
  expect_match(plot$labels$subtitle, "Average precision 0.7355 [", fixed = TRUE)
  expect_match(plot$labels$subtitle, "n = 200: 103 'cat', 97 'dog'", fixed = TRUE)
  steps <- plot$data
  expect_equal(sum(diff(steps$recall) * steps$precision[-1]), area(pr, "average_precision"))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (name in c("ties_200", "perfect", "constant", "one_case")) {
    drawn <- pr_curve(fixture(paste0("ok_", name, ".csv")), replicates = 20)
    expect_identical(plot(drawn), drawn)
  }
  refusal <- expect_error(
    ggplot2::autoplot(pr_curve(fixture("ok_one_class_truth.csv"))), class = "rside_error_argument"
  )
  expect_match(conditionMessage(refusal), "only class 'cat'", fixed = TRUE)
  expect_identical(nrow(step_points(pr$curve, points = 20)), 21L)
})

test_that("the bootstrap interval holds its estimate, even where all samples are lower", {
  set.seed(1)
  y <- rep(c("neg", "pos"), c(18, 12))
  values <- pr_curve(binary(y, c(runif(18, 0.5, 1), runif(12, 0, 0.5))))$values
  expect_true(all(values$lower <= values$estimate & values$estimate <= values$upper))
})
