# --- tables --------------------------------------------------------------------

asah <- function(marker, scale = 1) {
  data("aSAH", package = "pROC", envir = environment())
  binary(as.character(aSAH$outcome), as.numeric(aSAH[[marker]]) / scale, c("Good", "Poor"))
}

# Two models on the same rows, with ids; `k` classes.
pair <- function(seed, n = 60, k = 2, weighted = FALSE) {
  a <- random_table(seed, n, k)
  b <- random_table(seed + 1000, n, k)
  b$true_label <- a$true_label
  a$id <- b$id <- paste0("row-", seq_len(n))
  if (weighted) a$weight <- b$weight <- sample(1:4, n, replace = TRUE)
  list(a = a, b = b)
}

compared <- function(pair, ...) compare_models(pair$a, pair$b, ...)

# Decisions with the given counts: right by both, by a only, by b only, by neither.
by_counts <- function(both, first, second, neither) {
  times <- c(both, first, second, neither)
  right <- function(values) rep(values, times)
  truth <- rep(c("pos", "neg"), length.out = sum(times))
  table <- function(right) {
    other <- ifelse(truth == "pos", "neg", "pos")
    decided(truth, ifelse(right, truth, other), c("neg", "pos"))
  }
  list(a = table(right(c(TRUE, TRUE, FALSE, FALSE))), b = table(right(c(TRUE, FALSE, TRUE, FALSE))))
}

row_of <- function(comparison, metric, estimator = NULL) {
  rows <- comparison$differences
  rows <- rows[rows$metric == metric, ]
  if (!is.null(estimator)) rows <- rows[rows$estimator == estimator, ]
  stopifnot(nrow(rows) == 1)
  rows
}

test_of <- function(comparison, test) comparison$tests[comparison$tests$test == test, ]

roc_of_table <- function(table) {
  pROC::roc(
    response = table[[1]], predictor = table[[3]], direction = "<", quiet = TRUE,
    levels = sub("pred_prob_", "", names(table)[2:3])
  )
}

# --- the AUC against pROC ----------------------------------------------------------

test_that("the ovarian cancer data of DeLong et al. (1988) come out", {
  # Data and results: SAS/STAT user's guide, PROC LOGISTIC, "Comparing Receiver Operating
  # Characteristic Curves": ROC association statistics, and contrasts against the K-G score.
  values <- scan(quiet = TRUE, text = "
    3.0 5.8 10 0  3.2 6.3 5 1  3.9 6.8 3 1  2.8 4.8 6 0  3.2 5.8 3 1  0.9 4.0 5 0  2.5 5.7 8 0
    1.6 5.6 5 1   3.8 5.7 5 1  3.7 6.7 6 1  3.2 5.4 4 1  3.8 6.6 6 1  4.1 6.6 5 1  3.6 5.7 5 1
    4.3 7.0 4 1   3.6 6.7 4 0  2.3 4.4 6 1  4.2 7.6 4 0  4.0 6.6 6 0  3.5 5.8 6 1  3.8 6.8 7 1
    3.0 4.7 8 0   4.5 7.4 5 1  3.7 7.4 5 1  3.1 6.6 6 1  4.1 8.2 6 1  4.3 7.0 5 1  4.3 6.5 4 1
    3.2 5.1 5 1   2.6 4.7 6 1  3.3 6.8 6 0  1.7 4.0 7 0  3.7 6.1 5 1  3.3 6.3 7 1  4.2 7.7 6 1
    3.5 6.2 5 1   2.9 5.7 9 0  2.1 4.8 7 1  2.8 6.2 8 0  4.0 7.0 7 1  3.3 5.7 6 1  3.7 6.9 5 1
    3.6 6.6 5 1")
  data <- as.data.frame(matrix(values, ncol = 4, byrow = TRUE))
  names(data) <- c("albumin", "protein", "score", "benefit")
  marker <- function(scores) binary(as.character(data$benefit), scores, c("0", "1"))
  score <- marker(1 - data$score / 10)
  albumin <- row_of(compare_models(marker(data$albumin / 10), score), "roc_auc")
  protein <- row_of(compare_models(marker(data$protein / 10), score), "roc_auc")
  expect_equal(round(c(albumin$a, protein$a, albumin$b), 4), c(0.7366, 0.6478, 0.7258))
  shown <- function(row) unlist(row[c("difference", "std_error", "lower", "upper", "p_value")])
  expect_equal(
    unname(round(shown(albumin), 4)), c(0.0108, 0.0953, -0.1761, 0.1976, 0.9102)
  )
  expect_equal(
    unname(round(shown(protein), 4)), c(-0.0780, 0.1046, -0.2830, 0.1271, 0.4561)
  )
})

expect_paired_as_proc <- function(a, b) {
  row <- row_of(compare_models(a, b), "roc_auc")
  test <- pROC::roc.test(roc_of_table(a), roc_of_table(b), method = "delong", paired = TRUE)
  expect_equal(c(row$a, row$b), unname(test$estimate), tolerance = 1e-12)
  expect_equal(row$statistic, unname(test$statistic), tolerance = 1e-12)
  expect_equal(row$p_value, test$p.value, tolerance = 1e-12)
  expect_equal(c(row$lower, row$upper), as.vector(test$conf.int), tolerance = 1e-12)
  expect_identical(row$df, NA_real_)
  expect_identical(row$method, "DeLong")
}

test_that("the paired test of two AUCs is that of pROC", {
  expect_paired_as_proc(asah("s100b", 4), asah("wfns", 5))
  expect_paired_as_proc(asah("s100b", 4), asah("ndka", 500))
  for (seed in 1:5) {
    tables <- pair(seed)
    expect_paired_as_proc(tables$a[1:3], tables$b[1:3])
  }
})

test_that("the unpaired test of two AUCs is that of pROC, with Welch's t", {
  for (seed in 1:5) {
    a <- random_table(seed, 50)
    b <- random_table(seed + 50, 71)
    row <- row_of(compare_models(a, b, paired = FALSE), "roc_auc")
    test <- pROC::roc.test(roc_of_table(a), roc_of_table(b), method = "delong", paired = FALSE)
    expect_equal(row$statistic, unname(test$statistic), tolerance = 1e-12)
    expect_equal(row$df, unname(test$parameter), tolerance = 1e-12)
    expect_equal(row$p_value, test$p.value, tolerance = 1e-12)
    half <- qt(0.975, row$df) * row$std_error
    expect_equal(c(row$lower, row$upper), row$difference + c(-1, 1) * half)
    expect_identical(row$method, "DeLong (Welch)")
  }
})

test_that("the bootstrap of the AUCs is near to that of pROC", {
  a <- asah("s100b", 4)
  b <- asah("wfns", 5)
  row <- row_of(compare_models(a, b, interval = "bootstrap", replicates = 1000), "roc_auc")
  # set.seed(1); roc.test(roc(aSAH$outcome, aSAH$s100b), roc(aSAH$outcome, aSAH$wfns),
  #   method = "bootstrap", boot.n = 10000): D = -2.22853
  expect_equal(row$statistic, -2.22853, tolerance = 0.08)
  expect_identical(row$method, "bootstrap (percentile)")
  expect_equal(row$p_value, 2 * pnorm(-abs(row$statistic)))
})

# --- accuracy: McNemar, Newcombe, Tango ------------------------------------------------

test_that("Newcombe's table of paired proportions comes out", {
  # Newcombe (1998) <doi:10.1002/(SICI)1097-0258(19981130)17:22<2635::AID-SIM954>3.0.CO;2-C>,
  # table III, method 10: right by both, by a, by b, by neither; lower and upper end
  table <- matrix(ncol = 6, byrow = TRUE, c(
    36, 12, 2, 0, 0.0569, 0.3404,
    20, 12, 2, 16, 0.0562, 0.3292,
    18, 12, 2, 18, 0.0562, 0.3290,
    36, 14, 0, 0, 0.1528, 0.4167,
    35, 14, 0, 1, 0.1461, 0.4175,
    18, 14, 0, 18, 0.1441, 0.3963,
    2, 97, 1, 0, 0.8721, 0.9854,
    1, 97, 1, 1, 0.8736, 0.9850,
    0, 29, 1, 0, 0.6666, 0.9882,
    2, 98, 0, 0, 0.9178, 0.9945,
    1, 98, 0, 1, 0.9171, 0.9916,
    0, 30, 0, 0, 0.8395, 1.0000,
    54, 0, 0, 0, -0.0664, 0.0664,
    53, 0, 0, 1, -0.0729, 0.0729,
    30, 0, 0, 24, -0.0358, 0.0358,
    29, 0, 0, 25, -0.0354, 0.0354,
    28, 0, 0, 26, -0.0352, 0.0352,
    27, 0, 0, 27, -0.0351, 0.0351
  ))
  for (i in seq_len(nrow(table))) {
    counts <- table[i, 1:4]
    row <- row_of(compared(do.call(by_counts, as.list(counts))), "accuracy")
    expect_equal(row$difference, (counts[[2]] - counts[[3]]) / sum(counts))
    expect_lt(max(abs(c(row$lower, row$upper) - table[i, 5:6])), 1e-4)
    expect_identical(row$method, "Newcombe (paired)")
  }
  # Altman et al. (2000), Statistics with confidence, table 6.2: 0.011 to 0.226
  altman <- row_of(compared(by_counts(14, 5, 0, 22)), "accuracy")
  expect_equal(round(c(altman$lower, altman$upper), 3), c(0.011, 0.226))
})

test_that("Tango's examples come out", {
  ends <- function(..., conf_level = 0.95) {
    row <- row_of(
      compared(by_counts(...), proportions = "tango", conf_level = conf_level), "accuracy"
    )
    expect_identical(row$method, "Tango")
    c(row$lower, row$upper)
  }
  # Tango (1998) <doi:10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B>, 6.2 and 6.1
  expect_equal(round(ends(10, 9, 3, 10), 3), c(-0.027, 0.390))
  expect_equal(round(ends(43, 0, 1, 0, conf_level = 0.9), 3)[[1]], -0.096)
  # The package contingencytables, by Tango_asymptotic_score_CI_paired_2x2(cavo_2012), whose rows
  # are 59, 6 and 16, 80.
  expect_equal(round(ends(59, 6, 16, 80), 4), c(-0.1240, -0.0054))
  # The package ratesci, by pairbinci() for the risk difference of the same four counts.
  expect_equal(round(ends(1, 1, 7, 12), 3), c(-0.517, -0.026))
  # Closed form where no row is discordant.
  z2 <- qnorm(0.975)^2
  expect_equal(ends(30, 0, 0, 20), c(-1, 1) * z2 / (50 + z2), tolerance = 1e-8)
  expect_equal(ends(0, 3, 0, 0)[[2]], 1)
  expect_equal(ends(0, 0, 3, 0)[[1]], -1)
})

test_that("Tango's interval excludes 0 where McNemar's test rejects, and only there", {
  for (first in 0:12) for (second in 0:12) {
    if (first + second == 0) next
    statistic <- (first - second)^2 / (first + second)
    ends <- tango(first, second, 30, 0.95)
    expect_identical(ends$lower > 0 || ends$upper < 0, statistic > qnorm(0.975)^2)
  }
})

test_that("paired correctness has McNemar's tests", {
  comparison <- compared(by_counts(40, 17, 6, 20))
  counts <- matrix(c(40, 6, 17, 20), 2)
  plain <- mcnemar.test(counts, correct = FALSE)
  corrected <- mcnemar.test(counts)
  expect_equal(test_of(comparison, "mcnemar")$statistic, unname(plain$statistic))
  expect_equal(test_of(comparison, "mcnemar")$p_value, plain$p.value)
  expect_equal(test_of(comparison, "mcnemar_corrected")$statistic, unname(corrected$statistic))
  expect_equal(test_of(comparison, "mcnemar_corrected")$p_value, corrected$p.value)
  expect_equal(test_of(comparison, "mcnemar_exact")$p_value, binom.test(6, 23)$p.value)
  row <- row_of(comparison, "accuracy")
  expect_equal(row$statistic, sqrt(unname(plain$statistic)))
  expect_equal(row$p_value, plain$p.value)
  # Newcombe (1998), method 1
  expect_equal(row$std_error, sqrt(17 + 6 - (17 - 6)^2 / 83) / 83)
})

test_that("sensitivity and specificity are compared within their class", {
  tables <- pair(3)
  comparison <- compared(tables)
  right <- function(table) (table$pred_prob_b >= 0.5) == (table$true_label == "b")
  positive <- tables$a$true_label == "b"
  for (metric in c("sensitivity", "specificity")) {
    rows <- if (metric == "sensitivity") positive else !positive
    counts <- table(
      factor(right(tables$a)[rows], c(TRUE, FALSE)), factor(right(tables$b)[rows], c(TRUE, FALSE))
    )
    row <- row_of(comparison, metric)
    expect_equal(row$p_value, mcnemar.test(counts, correct = FALSE)$p.value)
    expect_equal(row$difference, (counts[1, 2] - counts[2, 1]) / sum(rows))
  }
})

test_that("Newcombe's table of independent proportions comes out", {
  # Newcombe (1998) <doi:10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I>,
  # table II, method 10
  table <- matrix(ncol = 6, byrow = TRUE, c(
    56, 70, 48, 80, 0.0524, 0.3339,
    9, 10, 3, 10, 0.1705, 0.8090,
    6, 7, 2, 7, 0.0582, 0.8062,
    5, 56, 0, 29, -0.0381, 0.1926,
    0, 10, 0, 20, -0.1611, 0.2775,
    0, 10, 0, 10, -0.2775, 0.2775,
    10, 10, 0, 20, 0.6791, 1.0000,
    10, 10, 0, 10, 0.6075, 1.0000
  ))
  for (i in seq_len(nrow(table))) {
    at <- table[i, ]
    a <- by_counts(at[[1]], 0, 0, at[[2]] - at[[1]])$a
    b <- by_counts(at[[3]], 0, 0, at[[4]] - at[[3]])$a
    row <- row_of(compare_models(a, b, paired = FALSE), "accuracy")
    expect_equal(round(c(row$lower, row$upper), 4), at[5:6])
    expect_identical(row$method, "Newcombe")
  }
})

test_that("independent accuracies have the tests of two proportions", {
  a <- by_counts(56, 0, 0, 14)$a
  b <- by_counts(48, 0, 0, 32)$a
  comparison <- compare_models(a, b, paired = FALSE)
  counts <- matrix(c(56, 48, 14, 32), 2)
  plain <- prop.test(counts, correct = FALSE)
  corrected <- prop.test(counts)
  expect_equal(test_of(comparison, "two_proportions")$statistic, unname(plain$statistic))
  expect_equal(test_of(comparison, "two_proportions")$p_value, plain$p.value)
  expect_equal(
    test_of(comparison, "two_proportions_corrected")$statistic, unname(corrected$statistic)
  )
  expect_equal(test_of(comparison, "two_proportions_corrected")$p_value, corrected$p.value)
  expect_equal(test_of(comparison, "fisher_exact")$p_value, fisher.test(counts)$p.value)
  row <- row_of(comparison, "accuracy")
  expect_equal(row$p_value, plain$p.value)
  expect_gt(row$statistic, 0)
  alike <- compare_models(a[1:3, ], a[1:5, ], paired = FALSE)
  expect_match(alike$tests$reason, "every row of both models is right", all = TRUE)
  expect_match(row_of(alike, "accuracy")$reason, "no test")
  expect_false(is.na(row_of(alike, "accuracy")$lower))
})

# --- losses ---------------------------------------------------------------------------

test_that("losses are compared row by row", {
  for (k in c(2, 3)) {
    tables <- pair(7, k = k)
    truth <- match(tables$a$true_label, letters)
    brier <- function(table) {
      probabilities <- as.matrix(table[paste0("pred_prob_", letters[seq_len(k)])])
      rowSums((probabilities - diag(k)[truth, ])^2) / 2
    }
    # Of two classes, half the sum over both is the square of one.
    test <- t.test(brier(tables$a), brier(tables$b), paired = TRUE)
    row <- row_of(compared(tables), "brier_score")
    n <- nrow(tables$a)
    expect_equal(row$difference, unname(test$estimate))
    expect_equal(row$std_error, test$stderr * sqrt((n - 1) / n))
    expect_equal(row$statistic, unname(test$statistic) * sqrt(n / (n - 1)))
    expect_equal(row$p_value, 2 * pnorm(-abs(row$statistic)))
    expect_equal(row$lower, row$difference - qnorm(0.975) * row$std_error)
    expect_identical(row$method, "delta")
  }
  a <- random_table(1, 50)
  b <- random_table(2, 80)
  unpaired <- row_of(compare_models(a, b, paired = FALSE), "log_loss")
  loss <- function(table) {
    p <- ifelse(table$true_label == "b", table$pred_prob_b, table$pred_prob_a)
    -log(pmax(p, .Machine$double.eps))
  }
  spread <- function(x) mean((x - mean(x))^2) / length(x)
  expect_equal(unpaired$std_error, sqrt(spread(loss(a)) + spread(loss(b))))
})

# --- two routes to every standard error --------------------------------------------------

# The bootstrap takes the sizes of the classes as given: of an influence, it sees what varies within
# a class.
within_class_error <- function(difference, truth, weights) {
  adds <- weights * difference
  sqrt(sum((adds - ave(adds, truth))^2)) / sum(weights)
}

test_that("influence and bootstrap agree for every number", {
  for (k in c(2, 3)) for (weighted in c(FALSE, TRUE)) {
    tables <- pair(21, n = 400, k = k, weighted = weighted)
    boot <- compared(tables, interval = "bootstrap", replicates = 600)
    p <- lapply(tables, predictions_of)
    for (key in names(measures_of(p$a))) {
      a <- measures_of(p$a)[[key]]()
      b <- measures_of(p$b)[[key]]()
      expected <- within_class_error(
        a$influence - b$influence, p$a$true_label, weights_of(p$a)
      )
      row <- row_of(boot, a$metric, a$estimator)
      expect_equal(row$std_error, expected, tolerance = 0.12, info = key)
      expect_equal(row$difference, a$estimate - b$estimate)
      expect_lt(row$lower, row$upper)
    }
  }
})

test_that("the unpaired bootstrap draws both tables independently", {
  tables <- pair(22, n = 300)
  paired <- compared(tables, interval = "bootstrap", replicates = 400)
  unpaired <- compared(tables, paired = FALSE, interval = "bootstrap", replicates = 400)
  same <- compare_models(
    tables$a, tables$a, paired = FALSE, interval = "bootstrap", replicates = 400
  )
  delta <- compare_models(tables$a, tables$a, paired = FALSE)
  expect_equal(
    row_of(same, "roc_auc")$std_error, row_of(delta, "roc_auc")$std_error, tolerance = 0.12
  )
  expect_false(identical(paired$differences$std_error, unpaired$differences$std_error))
})

test_that("the same seed gives the same bootstrap, and the session's stream goes on", {
  tables <- pair(5)
  set.seed(42)
  before <- .Random.seed
  one <- compared(tables, interval = "bootstrap", replicates = 50, seed = 3)
  expect_identical(.Random.seed, before)
  expect_identical(compared(tables, interval = "bootstrap", replicates = 50, seed = 3), one)
  other <- compared(tables, interval = "bootstrap", replicates = 50, seed = 4)
  expect_false(identical(other$differences$lower, one$differences$lower))
})

# --- properties ------------------------------------------------------------------------

for (k in c(2, 4)) for (paired in c(TRUE, FALSE)) for (weighted in c(FALSE, TRUE)) {
  label <- paste0("(", k, " classes, paired ", paired, ", weighted ", weighted, ")")
  tables <- pair(31, k = k, weighted = weighted)
  comparison <- compared(tables, paired = paired)

  test_that(paste("swapping the models flips the signs", label), {
    swapped <- compare_models(tables$b, tables$a, paired = paired)$differences
    plain <- comparison$differences
    expect_equal(swapped$difference, -plain$difference)
    expect_equal(swapped$lower, -plain$upper)
    expect_equal(swapped$statistic, -plain$statistic)
    expect_equal(swapped$p_value, plain$p_value)
    expect_equal(swapped$a, plain$b)
  })

  test_that(paste("the order of the rows of b changes nothing", label), {
    shuffled <- compare_models(tables$a, tables$b[sample(nrow(tables$b)), ], paired = paired)
    expect_equal(shuffled, comparison)
  })

  test_that(paste("every difference is that of two validations", label), {
    of_a <- validate(tables$a)
    of_b <- validate(tables$b)
    for (i in seq_len(nrow(comparison$differences))) {
      row <- comparison$differences[i, ]
      at <- function(report) {
        rows <- report$metrics[is.na(report$metrics$class), ]
        rows$estimate[rows$metric == row$metric & rows$estimator == row$estimator]
      }
      expect_equal(c(row$a, row$b), c(at(of_a), at(of_b)))
      expect_equal(row$difference, row$a - row$b)
    }
  })

  test_that(paste("a constant multiple of the weights changes nothing", label), {
    if (!weighted) tables$a$weight <- tables$b$weight <- 1
    scale <- function(table) transform(table, weight = weight * 5)
    scaled <- compare_models(scale(tables$a), scale(tables$b), paired = paired)
    expect_equal(scaled$differences, comparison$differences)
  })
}

test_that("pairing is more precise where the models agree", {
  tables <- pair(8, n = 200)
  tables$b$pred_prob_b <- (3 * tables$a$pred_prob_b + tables$b$pred_prob_b) / 4
  tables$b$pred_prob_a <- 1 - tables$b$pred_prob_b
  paired <- row_of(compared(tables), "roc_auc")$std_error
  expect_lt(paired, row_of(compared(tables, paired = FALSE), "roc_auc")$std_error / 1.5)
})

test_that("a weight of k counts as k rows in every estimate", {
  tables <- pair(9, weighted = TRUE)
  copies <- lapply(tables, function(table) {
    copied <- table[rep(seq_len(nrow(table)), table$weight), ]
    copied$id <- copied$weight <- NULL
    copied
  })
  weighted <- compared(tables)
  expect_equal(weighted$differences$difference, compared(copies)$differences$difference)
  expect_identical(unique(weighted$tests$reason), "not defined with case weights")
  expect_identical(row_of(weighted, "accuracy")$method, "delta")
  expect_true("weights_used" %in% weighted$notes$code)
})

test_that("the weighted error of the accuracy is that of a ratio", {
  # Linearisation by hand: sum of w^2 (d - mean)^2 over the square of the sum of w.
  tables <- pair(10, weighted = TRUE)
  right <- function(table) (table$pred_prob_b >= 0.5) == (table$true_label == "b")
  gain <- right(tables$a) - right(tables$b)
  w <- tables$a$weight
  mean <- weighted.mean(gain, w)
  row <- row_of(compared(tables), "accuracy")
  expect_equal(row$difference, mean)
  expect_equal(row$std_error, sqrt(sum(w^2 * (gain - mean)^2)) / sum(w))
})

test_that("the positive class turns signs of what depends on it", {
  tables <- pair(11)
  b <- compared(tables, positive = "b")
  a <- compared(tables, positive = "a")
  expect_identical(a$positive, "a")
  expect_equal(row_of(a, "specificity")$a, mean(
    tables$a$pred_prob_a[tables$a$true_label == "b"] < 0.5
  ))
  expect_equal(row_of(a, "roc_auc")$difference, row_of(b, "roc_auc")$difference)
})

# --- what does not match is refused -------------------------------------------------------

refusal <- function(...) {
  conditionMessage(expect_error(compare_models(...), class = "rside_error_argument"))
}

test_that("rows that do not match are refused, with their ids", {
  tables <- pair(12)
  fewer <- tables$b[-(1:7), ]
  message <- refusal(tables$a, fewer, names = c("old", "new"))
  expect_match(message, "7 ids only in 'old': 'row-1', 'row-2'", fixed = TRUE)
  expect_match(message, "and 2 more", fixed = TRUE)
  expect_match(message, "paired = FALSE", fixed = TRUE)
  renamed <- tables$b
  renamed$id[[3]] <- "other"
  message <- refusal(tables$a, renamed)
  expect_match(message, "1 id only in 'a': 'row-3'. 1 id only in 'b': 'other'", fixed = TRUE)
  expect_match(refusal(tables$a, tables$b[names(tables$b) != "id"]), "Only 'a' has ids")
  expect_match(refusal(tables$a[names(tables$a) != "id"], tables$b), "Only 'b' has ids")
})

test_that("another truth is refused", {
  tables <- pair(12)
  other <- tables$b
  other$true_label[2:3] <- ifelse(other$true_label[2:3] == "a", "b", "a")
  expect_match(
    refusal(tables$a, other), "`true_label` differs in 2 rows: ids 'row-2', 'row-3'", fixed = TRUE
  )
  without <- function(table) table[names(table) != "id"]
  message <- refusal(without(tables$a), without(other))
  expect_match(message, "2 rows: rows 2, 3", fixed = TRUE)
  expect_match(message, "Add an `id` column", fixed = TRUE)
  expect_match(refusal(without(tables$a), without(tables$b)[-1, ]), "'a': 60 rows; 'b': 59 rows")
})

test_that("other weights are refused", {
  tables <- pair(12, weighted = TRUE)
  other <- tables$b
  other$weight[[5]] <- other$weight[[5]] + 1
  expect_match(refusal(tables$a, other), "`weight` differs in 1 row: id 'row-5'", fixed = TRUE)
  expect_match(refusal(tables$a, tables$b[names(tables$b) != "weight"]), "same weight")
  # Not where the tables are independent.
  expect_s3_class(compare_models(tables$a, other, paired = FALSE), "rside_comparison")
})

test_that("other classes, another order and another positive class are refused", {
  a <- random_table(1, k = 3)
  b <- a
  names(b)[names(b) == "pred_prob_c"] <- "pred_prob_d"
  b$true_label[b$true_label == "c"] <- "d"
  expect_match(refusal(a, b), "Only 'a' has class 'c'. Only 'b' has class 'd'", fixed = TRUE)
  expect_match(refusal(a, as_predictions(a, classes = c("c", "a", "b"))), "class order")
  two <- random_table(1)
  expect_match(
    refusal(as_predictions(two, positive = "a"), as_predictions(two, positive = "b")),
    "'a': 'a'; 'b': 'b'", fixed = TRUE
  )
})

test_that("arguments of the wrong kind are refused", {
  a <- random_table(1)
  expect_match(refusal(a, a, paired = NA), "`paired`")
  expect_match(refusal(a, a, names = "a"), "`names`")
  expect_match(refusal(a, a, names = c("a", "a")), "`names`")
  expect_match(refusal(a, a, interval = "wald"), "`interval`")
  expect_match(refusal(a, a, proportions = "wald"), "`proportions`")
  expect_match(refusal(a, a, conf_level = 95), "`conf_level`")
  expect_match(refusal(a, a, replicates = 1), "`replicates`")
  expect_match(refusal(a, a, paired = FALSE, proportions = "tango"), "paired rows")
})

test_that("matching and what was assumed are told", {
  tables <- pair(13)
  by_id <- compared(tables)
  expect_identical(by_id$matched, "id")
  expect_false("matched_by_position" %in% by_id$notes$code)
  expect_true("positive_assumed" %in% by_id$notes$code)
  expect_false("positive_assumed" %in% compared(tables, positive = "b")$notes$code)
  by_position <- compare_models(tables$a[-4], tables$b[-4])
  expect_identical(by_position$matched, "position")
  expect_true("matched_by_position" %in% by_position$notes$code)
  expect_equal(by_position$differences, by_id$differences)
  unpaired <- compared(tables, paired = FALSE)
  expect_identical(unpaired$matched, "none")
  expect_match(unpaired$notes$text[unpaired$notes$code == "ids_shared"], "60 ids in both tables")
  strict <- as_predictions(tables$b, threshold = 0.75)
  expect_true("thresholds_differ" %in% compare_models(tables$a, strict)$notes$code)
})

test_that("what is true of one model only is said of it by name", {
  tables <- pair(19)
  tables$b$pred_label <- rev(tables$a$true_label)
  notes <- compared(tables, names = c("old", "new"))$notes
  expect_match(notes$text[notes$code == "pred_label_differs"], "^new: In [0-9]+ rows")
  absent <- compare_models(fixture("ok_absent_class.csv"), fixture("ok_absent_class.csv"))$notes
  expect_identical(sum(absent$code == "class_absent"), 1L)
  expect_match(absent$text[absent$code == "class_absent"], "^Class")
})

test_that("rows of weight 0 are left out, and may be missing from the other table", {
  tables <- pair(14, weighted = TRUE)
  tables$a$weight[1:5] <- 0
  expect_match(refusal(tables$a, tables$b), "5 ids only in 'b'")
  without <- tables$b[-(1:5), ]
  expect_identical(compare_models(tables$a, without)$n, c(a = 55L, b = 55L))
})

# --- what is undefined -----------------------------------------------------------------

test_that("a model against itself differs by 0, without an interval", {
  for (path in list.files(fixture(""), "^ok_.*[.]csv$", full.names = TRUE)) {
    comparison <- compare_models(path, path)
    rows <- comparison$differences
    defined <- !is.na(rows$difference)
    expect_true(all(rows$difference[defined] == 0))
    expect_true(all(is.na(rows$p_value)))
    expect_false(any(is.na(rows$reason)))
    shares <- rows$metric %in% c("accuracy", "sensitivity", "specificity")
    expect_true(all(is.na(rows$lower[!shares])))
    expect_true(all(is.na(comparison$tests$p_value)))
    boot <- compare_models(path, path, interval = "bootstrap", replicates = 5)
    expect_true(all(is.na(boot$differences$lower)))
    unpaired <- compare_models(path, path, paired = FALSE)
    expect_true(all(unpaired$differences$difference[defined] == 0))
    expect_output(print(comparison), "comparison of two models")
    expect_output(print(unpaired), "not paired")
  }
})

test_that("equal models say that the variance is 0", {
  same <- compared(list(a = pair(1)$a, b = pair(1)$a))
  expect_identical(row_of(same, "roc_auc")$reason, "no interval: the estimated variance is 0")
  expect_match(row_of(same, "accuracy")$reason, "no row is right by one model")
  expect_equal(
    row_of(same, "accuracy")$upper, -row_of(same, "accuracy")$lower
  )
})

test_that("a reason names the model to which it belongs", {
  truth <- c("pos", "neg", "pos", "neg")
  a <- decided(truth, c("pos", "neg", "neg", "neg"), c("neg", "pos"))
  b <- decided(truth, rep("neg", 4), c("neg", "pos"))
  row <- row_of(compare_models(a, b, names = c("old", "new")), "precision")
  expect_identical(row$difference, NA_real_)
  expect_identical(row$b, NA_real_)
  expect_identical(row$reason, "new: class 'pos' is never predicted")
})

test_that("one class, one case and one row do not crash", {
  for (interval in c("delta", "bootstrap")) for (paired in c(TRUE, FALSE)) {
    one_row <- binary("pos", 0.75)
    other <- binary("pos", 0.25)
    comparison <- compare_models(
      one_row, other, paired = paired, interval = interval, replicates = 5
    )
    expect_identical(row_of(comparison, "roc_auc")$reason, "only class 'pos' occurs in the truth")
    expect_identical(row_of(comparison, "accuracy")$difference, 1)
    single <- compare_models(
      binary(c("pos", "neg", "neg"), c(0.75, 0.5, 0.25)),
      binary(c("pos", "neg", "neg"), c(0.5, 0.75, 0.25)),
      paired = paired, interval = interval, replicates = 5
    )
    row <- row_of(single, "roc_auc")
    expect_equal(row$difference, 0.5)
    if (interval == "delta") expect_match(row$reason, "fewer than two examples of class 'pos'")
    several <- random_table(1, k = 3)
    several$true_label <- "b"
    one_class <- compare_models(
      several, several, paired = paired, interval = interval, replicates = 5
    )
    expect_identical(
      row_of(one_class, "roc_auc", "macro")$reason, "only class 'b' occurs in the truth"
    )
  }
})

# --- text, data frames, plots ------------------------------------------------------------

test_that("a comparison is text of at most 80 columns", {
  for (k in c(2, 4)) for (paired in c(TRUE, FALSE)) {
    comparison <- compared(pair(15, k = k), paired = paired, names = c("first", "second"))
    lines <- unlist(strsplit(format(comparison), "\n"))
    expect_lte(max(nchar(lines)), 80)
    expect_match(lines, "a: 'first'", fixed = TRUE, all = FALSE)
  }
  plain <- format(compared(pair(15)))
  expect_false(any(grepl("a: 'a'", plain, fixed = TRUE)))
  expect_match(plain, "60 rows, matched by id", fixed = TRUE, all = FALSE)
})

test_that("a comparison is a data frame by broom's names", {
  comparison <- compared(pair(16))
  tidied <- tidy(comparison)
  expect_named(tidied, c(
    "term", "estimator", "estimate", "estimate1", "estimate2", "std.error", "statistic", "p.value",
    "parameter", "conf.low", "conf.high", "method", "reason"
  ))
  expect_identical(summary(comparison), tidied)
  expect_identical(as.data.frame(comparison), comparison$differences)
  expect_equal(tidied$estimate, tidied$estimate1 - tidied$estimate2)
  glanced <- glance(comparison)
  expect_identical(nrow(glanced), 1L)
  expect_identical(glanced$n, 60L)
  expect_equal(glanced$p.value, comparison$tests$p_value[[1]])
  expect_equal(glanced$roc_auc, row_of(comparison, "roc_auc")$difference)
  expect_identical(glance(compared(pair(16, k = 3)))$positive, NA_character_)
})

test_that("a comparison holds no data and no call", {
  small <- compared(pair(17, n = 100))
  large <- compared(pair(17, n = 20000))
  expect_lt(as.numeric(object.size(large)), as.numeric(object.size(small)) + 2e5)
  expect_false(any(vapply(large, function(x) is.function(x) || is.call(x), NA)))
})

test_that("differences and curves draw, degenerate ones as well", {
  comparison <- compared(pair(18), names = c("old", "new"))
  plot <- autoplot(comparison)
  expect_identical(plot$labels$title, "old minus new")
  expect_match(plot$labels$subtitle, "95% intervals; n = 60 rows, matched by id", fixed = TRUE)
  draws(plot)
  curves <- autoplot(comparison, type = "roc")
  expect_match(curves$labels$subtitle, "DeLong", fixed = TRUE)
  expect_match(curves$labels$subtitle, "p = ", fixed = TRUE)
  expect_match(levels(curves$data$model), "AUC 0", fixed = TRUE)
  draws(curves)
  same <- compared(list(a = pair(1)$a, b = pair(1)$a))
  expect_match(autoplot(same)$labels$subtitle, "hollow: no interval", fixed = TRUE)
  draws(autoplot(same))
  expect_match(autoplot(same, type = "roc")$labels$subtitle, "variance is 0", fixed = TRUE)
  draws(autoplot(same, type = "roc"))
  draws(autoplot(compared(pair(18, k = 3))))
  long <- compared(pair(18), names = c(strrep("long ", 30), "b"))
  expect_lte(max(nchar(strsplit(autoplot(long)$labels$title, "\n")[[1]])), 50)
})

test_that("curves that are undefined are refused", {
  several <- compared(pair(18, k = 3))
  expect_error(autoplot(several, type = "roc"), class = "rside_error_argument")
  one <- compare_models(fixture("ok_one_class_truth.csv"), fixture("ok_one_class_truth.csv"))
  found <- expect_error(autoplot(one, type = "roc"), class = "rside_error_argument")
  expect_match(conditionMessage(found), "only class 'cat' occurs in the truth", fixed = TRUE)
})

test_that("no interval reaches beyond the greatest difference there can be", {
  set.seed(4)
  truth <- rep(c("neg", "pos"), 10)
  perfect <- binary(truth, (truth == "pos") * 0.5 + runif(20) / 4)
  random <- binary(truth, runif(20))
  rows <- compare_models(perfect, random, paired = FALSE)$differences
  most <- c(log_loss = Inf, cohen_kappa = 2, mcc = 2)[rows$metric]
  most <- ifelse(is.na(most), 1, most)
  expect_true(all(rows$upper <= most & rows$lower >= -most, na.rm = TRUE))
  weighted <- cbind(random, weight = c(1e6, rep(1, 19)))
  auc <- compare_models(weighted, weighted[20:1, ], paired = FALSE)$differences
  auc <- auc[auc$metric == "roc_auc", ]
  expect_true(all(is.finite(c(auc$lower, auc$upper))))
})
