# Sixty rows by arithmetic alone, so that any language can build them.
sixty <- function() {
  i <- 1:60
  score <- ((37 * i) %% 61) / 61
  happened <- (7 * i^2 + i) %% 11 < 1 + 8 * score
  list(score = score, happened = happened, weight = 1 + (i %% 4) / 2)
}

sixty_table <- function(...) {
  with(sixty(), binary(ifelse(happened, "pos", "neg"), score, ...))
}

calibrated <- function(table, ..., replicates = 20) {
  calibration(table, ..., replicates = replicates)
}

number <- function(found, metric, estimator = NULL, class = NULL, column = "estimate") {
  value(list(metrics = found$values), metric, estimator, class, column)
}

test_that("intercept and slope are those of glm(), with its Wald intervals", {
  # p and y from sixty(); glm() stops at a relative change of 1e-8 in the deviance:
  # fit <- glm(y ~ 1, offset = qlogis(p), family = binomial); c(coef(fit), sqrt(vcov(fit)))
  found <- calibrated(sixty_table())
  expect_equal(number(found, "calibration_intercept"), 0.29602468465489418, tolerance = 1e-7)
  error <- 0.31504496116531128
  expect_equal(
    number(found, "calibration_intercept", column = "std_error"), error, tolerance = 1e-5
  )
  expect_equal(
    number(found, "calibration_intercept", column = "upper"),
    0.29602468465489418 + 1.959963984540054 * error, tolerance = 1e-5
  )
  # fit <- glm(y ~ qlogis(p), family = binomial); c(coef(fit)[2], sqrt(vcov(fit)[2, 2]))
  # rms::val.prob(p, y)["Slope"] is 0.7148393078712566
  expect_equal(number(found, "calibration_slope"), 0.71483934545212247, tolerance = 1e-7)
  error <- 0.22472994893142292
  expect_equal(number(found, "calibration_slope", column = "std_error"), error, tolerance = 1e-5)
  expect_equal(
    number(found, "calibration_slope", column = "lower"),
    0.71483934545212247 - 1.959963984540054 * error, tolerance = 1e-5
  )
  expect_identical(number(found, "calibration_slope", column = "method"), "Wald")
})

test_that("with case weights the standard error is that of the sandwich", {
  # fit <- glm(y ~ 1, offset = qlogis(p), family = quasibinomial, weights = w, epsilon = 1e-14)
  # c(coef(fit), sqrt(sandwich::sandwich(fit)))
  found <- calibrated(sixty_table(weight = sixty()$weight))
  expect_equal(number(found, "calibration_intercept"), 0.39963982116520658)
  expect_equal(number(found, "calibration_intercept", column = "std_error"), 0.34755467801327800)
  # fit <- glm(y ~ qlogis(p), family = quasibinomial, weights = w, epsilon = 1e-14)
  # c(coef(fit)[2], sqrt(sandwich::sandwich(fit)[2, 2]))
  expect_equal(number(found, "calibration_slope"), 0.67912951195235371)
  expect_equal(number(found, "calibration_slope", column = "std_error"), 0.29064149758026481)
  expect_identical(number(found, "calibration_slope", column = "method"), "Wald (sandwich)")
})

test_that("both Brier scores are scikit-learn's", {
  # brier_score_loss(y, p, scale_by_half=True), and False
  found <- calibrated(sixty_table())
  expect_equal(number(found, "brier_score"), 0.18606557377049182)
  expect_equal(number(found, "brier_score_sum"), 0.37213114754098364)
  # The documented example of three classes.
  table <- data.frame(
    true_label = c("eggs", "ham", "spam"), pred_prob_eggs = c(0.8, 0.2, 0.2),
    pred_prob_ham = c(0.1, 0.7, 0.2), pred_prob_spam = c(0.1, 0.1, 0.6)
  )
  found <- calibrated(table)
  expect_equal(number(found, "brier_score"), 0.07333333333333335)
  expect_equal(number(found, "brier_score_sum"), 0.1466666666666667)
  ends <- function(metric) {
    unlist(found$values[found$values$metric == metric, c("std_error", "lower", "upper")])
  }
  expect_equal(ends("brier_score_sum"), 2 * ends("brier_score"))
})

test_that("the curve is scikit-learn's", {
  # calibration_curve(y_true, y_pred, n_bins=3), the documented example
  table <- binary(
    as.character(c(0, 0, 0, 0, 1, 1, 1, 1, 1)), c(0.1, 0.2, 0.3, 0.4, 0.65, 0.7, 0.8, 0.9, 1),
    c("0", "1")
  )
  curve <- calibrated(table, bins = 3, binning = "width")$curve
  expect_equal(curve$observed, c(0, 0.5, 1))
  expect_equal(curve$predicted, c(0.2, 0.525, 0.85))
  expect_equal(curve$from, c(0, 1, 2) / 3)
  expect_equal(curve$n, c(3, 2, 4))
  # calibration_curve(y, p, n_bins=5) of sixty()
  curve <- calibrated(sixty_table(), bins = 5, binning = "width")$curve
  expect_equal(curve$observed, c(0.25, 1 / 3, 0.5, 5 / 6, 5 / 6))
  expect_equal(curve$predicted, c(0.10655738, 0.30327869, 0.5, 0.69672131, 0.89344262),
               tolerance = 1e-7)
  # calibration_curve(y, p, n_bins=6, strategy="quantile")
  curve <- calibrated(sixty_table(), bins = 6)$curve
  expect_equal(curve$observed, c(0.2, 0.1, 0.7, 0.5, 1, 0.8))
  expect_equal(
    curve$predicted,
    c(0.09016393, 0.25409836, 0.41803279, 0.58196721, 0.74590164, 0.90983607), tolerance = 1e-7
  )
  expect_equal(curve$n, rep(10, 6))
})

test_that("a bin's interval is Wilson's", {
  # Newcombe (1998) <doi:10.1002/(SICI)1097-0258(19980430)17:8<857::AID-SIM777>3.0.CO;2-E>,
  # table I, method 3: 81 of 263, 15 of 148, 0 of 20
  one_bin <- function(events, n) {
    curve <- calibrated(
      binary(rep(c("pos", "neg"), c(events, n - events)), rep(0.5, n)), bins = 1
    )$curve
    round(c(curve$lower, curve$upper), 4)
  }
  expect_equal(one_bin(81, 263), c(0.2553, 0.3662))
  expect_equal(one_bin(15, 148), c(0.0624, 0.1605))
  expect_equal(one_bin(0, 20), c(0, 0.1611))
})

test_that("calibration errors are those of a loop over bins", {
  # numpy, bins (k / 10, (k + 1) / 10] of sixty()
  found <- calibrated(sixty_table(), binning = "width")
  expect_equal(number(found, "expected_calibration_error"), 0.16584699453551915)
  expect_equal(number(found, "maximum_calibration_error"), 0.314207650273224)
  for (seed in 1:3) {
    table <- random_table(seed, 70)
    table$weight <- rep(1:2, 35)
    found <- calibrated(table, bins = 4, binning = "width")
    happened <- table$true_label == "b"
    gaps <- shares <- c()
    for (edge in c(0.25, 0.5, 0.75, 1)) {
      inside <- table$pred_prob_b <= edge & (table$pred_prob_b > edge - 0.25 | edge == 0.25)
      if (!any(inside)) next
      w <- table$weight[inside]
      gaps <- c(gaps, abs(weighted.mean(happened[inside] - table$pred_prob_b[inside], w)))
      shares <- c(shares, sum(w) / sum(table$weight))
    }
    expect_equal(number(found, "expected_calibration_error"), sum(shares * gaps))
    expect_equal(number(found, "maximum_calibration_error"), max(gaps))
    expect_equal(with(found$curve, sum(share * abs(observed - predicted))), sum(shares * gaps))
  }
})

test_that("several classes: each against the rest, their mean, and the decision", {
  table <- random_table(4, 80, k = 3)
  found <- calibrated(table, bins = 5)
  each <- vapply(c("a", "b", "c"), function(class) {
    against <- binary(
      ifelse(table$true_label == class, class, "rest"), table[[paste0("pred_prob_", class)]],
      c("rest", class)
    )
    alone <- calibrated(against, bins = 5)
    for (metric in c(
      "calibration_intercept", "calibration_slope", "expected_calibration_error",
      "maximum_calibration_error"
    )) {
      expect_equal(number(found, metric, "one_vs_rest", class), number(alone, metric))
    }
    number(alone, "expected_calibration_error")
  }, 0)
  expect_equal(number(found, "expected_calibration_error", "macro"), mean(each))
  probabilities <- as.matrix(table[-1])
  decided <- max.col(probabilities, "first")
  right <- c("a", "b", "c")[decided] == table$true_label
  top <- calibrated(
    binary(ifelse(right, "yes", "no"), apply(probabilities, 1, max), c("no", "yes")), bins = 5
  )
  expect_equal(
    number(found, "expected_calibration_error", "top_label"),
    number(top, "expected_calibration_error")
  )
  expect_equal(
    found$curve[found$curve$estimator == "top_label", -(1:2)], top$curve[-(1:2)],
    ignore_attr = TRUE
  )
  # A decision that the table states is the one that must be right.
  table$pred_label <- "a"
  stated <- calibrated(table, bins = 1)
  expect_equal(
    number(stated, "expected_calibration_error", "top_label"),
    abs(mean((table$true_label == "a") - table$pred_prob_a))
  )
})

test_that("Hosmer and Lemeshow's statistic, with as many degrees of freedom as groups", {
  # numpy: sorted scores in 10 equal parts, sum of n (mean y - mean p)^2 / (mean p (1 - mean p));
  # scipy.stats.chi2.sf(., 10)
  test <- calibrated(sixty_table())$tests[1, ]
  expect_identical(test$test, "hosmer_lemeshow")
  expect_equal(test$statistic, 19.129346584400658)
  expect_equal(test$df, 10)
  expect_equal(test$p_value, 0.03865021038251744)
  # Ties make fewer groups; the groups do not depend on the bins of the curve.
  table <- binary(rep(c("neg", "pos"), 10), rep(c(0.25, 0.75), each = 10))
  for (binning in c("quantile", "width")) {
    test <- calibrated(table, binning = binning)$tests[1, ]
    expect_equal(test$df, 2)
    expect_equal(test$statistic, 2 * 10 * (0.5 - 0.25)^2 / (0.25 * 0.75))
  }
})

test_that("Spiegelhalter's test is that of rms, and of any number of classes", {
  # rms::val.prob(p, y)[c("S:z", "S:p")] of sixty()
  test <- calibrated(sixty_table())$tests[2, ]
  expect_equal(test$statistic, 0.7017584154708224)
  expect_equal(test$p_value, 0.4828298362876818)
  # Against the exact distribution of the score of two rows: all nine truths and their chances.
  p <- rbind(c(0.5, 0.3, 0.2), c(0.1, 0.1, 0.8))
  truths <- expand.grid(1:3, 1:3)
  score <- function(row, class) sum((p[row, ] - (1:3 == class))^2)
  scores <- apply(truths, 1, function(t) score(1, t[[1]]) + score(2, t[[2]]))
  chance <- p[1, truths[[1]]] * p[2, truths[[2]]]
  expected <- sum(chance * scores)
  z <- (score(1, 1) + score(2, 2) - expected) / sqrt(sum(chance * (scores - expected)^2))
  table <- data.frame(true_label = c("a", "b"), p)
  names(table)[-1] <- paste0("pred_prob_", c("a", "b", "c"))
  tests <- calibrated(table)$tests
  expect_equal(tests$statistic[[2]], z)
  expect_identical(tests$reason[[1]], "defined for two classes")
})

test_that("tests without a distribution, and with case weights, say so", {
  sure <- calibrated(binary(c("neg", "pos", "pos"), c(0, 1, 1)))$tests
  expect_true(all(is.na(sure$p_value)))
  expect_match(sure$reason[[1]], "all probabilities of a group are 0, or all are 1")
  expect_match(sure$reason[[2]], "leave the Brier score no variance")
  weighted <- calibrated(sixty_table(weight = sixty()$weight))$tests
  expect_identical(weighted$reason, rep("not defined with case weights", 2))
})

test_that("equal scores share a bin, and empty bins are counted", {
  table <- binary(rep(c("neg", "pos"), 10), c(rep(0.25, 14), rep(0.5, 2), 0.6, 0.7, 0.8, 0.9))
  found <- calibrated(table, bins = 5)
  # By the weight below: 0 / 20, 14 / 20, 16 / 20 and more.
  expect_equal(found$curve$bin, c(1, 4, 5))
  expect_equal(found$curve$n, c(14, 2, 4))
  expect_equal(found$curve$from, c(0.25, 0.5, 0.6))
  expect_equal(found$curve$to, c(0.25, 0.5, 0.9))
  expect_equal(found$empty_bins$empty, 2)
  expect_match(format(found)[[3]], "5 bins of equal counts, 2 empty", fixed = TRUE)
  for (seed in 1:5) {
    table <- random_table(seed, 90)
    curve <- calibrated(table, bins = 7)$curve
    expect_true(all(curve$from[-1] > curve$to[-nrow(curve)]))
    expect_equal(sum(curve$n), 90)
  }
})

test_that("a score on an edge lies in the lower of two bins of equal width", {
  score <- c(0, 0.1, 0.3, 0.6, 0.7, 1)
  found <- calibrated(binary(rep(c("neg", "pos"), 3), score), binning = "width")
  expect_equal(found$curve$bin, c(1, 3, 6, 7, 10))
  expect_equal(found$curve$n, c(2, 1, 1, 1, 1))
  expect_equal(found$empty_bins$empty, 5)
})

test_that("scores of 0 and 1 are clipped, and counted in the reason", {
  table <- binary(
    c("neg", "pos", "neg", "pos", "pos", "neg"), c(0, 1, 0.25, 0.75, 0.125, 0.5)
  )
  found <- calibrated(table)
  logit <- qlogis(pmin(pmax(table$pred_prob_pos, 2^-52), 1 - 2^-52))
  happened <- table$true_label == "pos"
  slope <- suppressWarnings(glm(happened ~ logit, family = binomial, epsilon = 1e-12))
  expect_equal(number(found, "calibration_slope"), coef(slope)[["logit"]], tolerance = 1e-6)
  for (metric in c("calibration_intercept", "calibration_slope")) {
    expect_identical(
      number(found, metric, column = "reason"), "2 rows of probability 0 or 1, clipped at 2^-52"
    )
  }
})

test_that("what logistic regression cannot fit is undefined, and says why", {
  reason <- function(found, metric) number(found, metric, column = "reason")
  expect_undefined <- function(table, metric, pattern) {
    found <- calibrated(as.data.frame(table))
    expect_true(is.na(number(found, metric)))
    expect_match(reason(found, metric), pattern)
    found
  }
  for (score in list(c(0.1, 0.2, 0.3, 0.4), c(0.1, 0.2, 0.2, 0.4))) {
    truth <- c("neg", "neg", "pos", "pos")
    apart <- expect_undefined(binary(truth, score), "calibration_slope", "^separation")
    expect_false(is.na(number(apart, "calibration_intercept")))
    expect_undefined(binary(rev(truth), score), "calibration_slope", "^separation")
  }
  constant <- expect_undefined(
    binary(c("neg", "pos", "pos"), rep(0.5, 3)), "calibration_slope", "all scores are equal"
  )
  # Of equal scores the intercept is the difference of two logits.
  expect_equal(number(constant, "calibration_intercept"), log(2))
  one <- binary(rep("pos", 3), c(0.2, 0.5, 0.9))
  for (metric in c("calibration_intercept", "calibration_slope")) {
    expect_undefined(one, metric, "only class 'pos' occurs in the truth")
  }
  hard <- binary(rep(c("neg", "pos"), 5), rep(c(0, 1), 5))
  expect_undefined(hard, "calibration_intercept", "perfect to within rounding; 10 rows")
  three <- random_table(5, 40, k = 3)
  three$true_label[three$true_label == "c"] <- "a"
  found <- calibrated(three)
  expect_identical(
    number(found, "calibration_slope", class = "c", column = "reason"),
    "class 'c' does not occur in the truth"
  )
  three$true_label <- "a"
  found <- calibrated(three)
  expect_identical(
    number(found, "calibration_slope", class = "a", column = "reason"),
    "only class 'a' occurs in the truth"
  )
  # The scores of an absent class can still be too high.
  expect_equal(number(found, "expected_calibration_error", class = "c"), mean(three$pred_prob_c))
})

test_that("hard labels with errors have a slope", {
  truth <- rep(c("neg", "pos"), 10)
  score <- rep(c(0, 1), 10)
  score[c(1, 2, 4)] <- 1 - score[c(1, 2, 4)]
  found <- calibrated(binary(truth, score))
  # 9 of 10 negatives below, 8 of 10 positives above: the logits are those of the shares.
  shares <- c(2 / 11, 8 / 9)
  ends <- qlogis(c(2^-52, 1 - 2^-52))
  expect_equal(
    number(found, "calibration_slope"), diff(qlogis(shares)) / diff(ends), tolerance = 1e-8
  )
})

test_that("no table is too small or too plain", {
  tables <- list(
    binary("pos", 0.3), binary("neg", 0), binary(c("neg", "pos"), c(0.5, 0.5)),
    random_table(6, 3, k = 3), decided(c("a", "b", "c"), c("a", "b", "c"), c("a", "b", "c", "d"))
  )
  for (table in tables) {
    for (binning in c("quantile", "width")) {
      found <- calibrated(table, binning = binning)
      values <- found$values
      expect_true(all(!is.na(values$lower) | !is.na(values$reason)))
      expect_identical(is.na(values$lower), is.na(values$upper))
      inside <- is.na(values$lower) |
        (values$lower <= values$estimate & values$estimate <= values$upper)
      expect_true(all(inside))
      expect_true(any(grepl("if the probabilities held", format(found), ignore.case = TRUE)))
    }
  }
})

test_that("arguments are checked", {
  path <- fixture("ok_binary.csv")
  for (bins in list(0, 2.5, NA, "a", c(5, 10), Inf)) {
    expect_error(calibration(path, bins = bins), class = "rside_error_argument")
  }
  expect_error(calibration(path, binning = "kmeans"), class = "rside_error_argument")
  expect_error(calibration(path, conf_level = 1), class = "rside_error_argument")
  expect_error(calibration(path, replicates = 1), class = "rside_error_argument")
  expect_error(calibration(path, seed = 0.5), class = "rside_error_argument")
})

test_that("the result is a data frame, a row, and lines of 80 columns", {
  for (table in list(sixty_table(), random_table(7, 60, k = 4))) {
    found <- calibrated(table)
    expect_identical(as.data.frame(found), found$values)
    expect_identical(names(tidy(found))[c(1, 5:7)],
                     c("term", "std.error", "conf.low", "conf.high"))
    expect_identical(summary(found), tidy(found))
    row <- glance(found)
    expect_identical(nrow(row), 1L)
    expect_identical(row$brier_score, number(found, "brier_score"))
    expect_true(all(nchar(unlist(strsplit(format(found), "\n"))) <= 80))
    expect_output(print(found), "10 bins of equal counts", fixed = TRUE)
  }
})
