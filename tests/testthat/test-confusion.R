overall <- function(matrix, metric, column = "estimate", estimator = NULL) {
  rows <- matrix$overall[matrix$overall$metric == metric, ]
  # Of several means the plain one.
  if (nrow(rows) > 1) rows <- rows[rows$estimator == (estimator %||% "macro"), ]
  rows[[column]]
}

test_that("the table has predictions in rows and the truth in columns", {
  p <- decided(c("a", "a", "a", "b"), c("a", "b", "b", "b"), c("a", "b"))
  counts <- confusion(p)$table
  expect_identical(names(dimnames(counts)), c("prediction", "truth"))
  expect_identical(counts["b", "a"], 2L)
  expect_identical(counts["a", "b"], 0L)
  frame <- as.data.frame(confusion(p))
  expect_identical(frame$n[frame$predicted == "b" & frame$truth == "a"], 2L)
  expect_match(format(confusion(p)), "predictions in rows, truth in columns", all = FALSE)
})

test_that("the positive class is the one stated, not the first level", {
  # lme4-like toy: 3 of 4 positives found, 5 of 6 negatives left alone
  truth <- rep(c("neg", "pos"), c(6, 4))
  p <- decided(truth, c("pos", rep("neg", 5), "neg", rep("pos", 3)), c("neg", "pos"))
  matrix <- confusion(p)
  expect_identical(matrix$positive, "pos")
  expect_equal(overall(matrix, "sensitivity"), 3 / 4)
  expect_equal(overall(matrix, "specificity"), 5 / 6)
  expect_equal(overall(matrix, "precision"), 3 / 4)
  expect_equal(overall(matrix, "npv"), 5 / 6)
  turned <- confusion(p, positive = "neg")
  expect_equal(overall(turned, "sensitivity"), 5 / 6)
  expect_equal(overall(turned, "npv"), 3 / 4)
})

test_that("values are caret's where caret defines them", {
  p <- read_predictions(fixture("ok_ties_200.csv"))
  matrix <- confusion(p)
  theirs <- caret::confusionMatrix(
    data = decision_of(p), reference = p$true_label, positive = "dog"
  )
  expect_identical(unname(unclass(theirs$table)), unname(unclass(matrix$table)))
  expect_equal(overall(matrix, "accuracy"), unname(theirs$overall["Accuracy"]))
  expect_equal(overall(matrix, "accuracy", "lower"), unname(theirs$overall["AccuracyLower"]))
  expect_equal(overall(matrix, "accuracy", "upper"), unname(theirs$overall["AccuracyUpper"]))
  expect_equal(overall(matrix, "cohen_kappa"), unname(theirs$overall["Kappa"]))
  names <- c(
    sensitivity = "Sensitivity", specificity = "Specificity", precision = "Pos Pred Value",
    npv = "Neg Pred Value", f1 = "F1", balanced_accuracy = "Balanced Accuracy"
  )
  for (name in names(names)) {
    expect_equal(overall(matrix, name), unname(theirs$byClass[names[[name]]]))
  }
})

test_that("intervals are exact: Newcombe (1998), table I, and binom.test()", {
  # doi:10.1002/(SICI)1097-0258(19980430)17:8<857::AID-SIM777>3.0.CO;2-E, method 5
  published <- data.frame(
    x = c(81, 15, 0, 1), n = c(263, 148, 20, 29),
    lower = c(0.2527, 0.0578, 0, 0.0009), upper = c(0.3676, 0.1617, 0.1684, 0.1776)
  )
  ours <- clopper_pearson(published$x, published$n, 0.95)
  expect_equal(ours$lower, published$lower, tolerance = 1e-3)
  expect_equal(round(ours$upper, 4), published$upper, tolerance = 1e-3)
  for (x in c(0, 1, 7, 12, 13)) {
    expect_equal(unlist(clopper_pearson(x, 13, 0.9), use.names = FALSE),
                 as.numeric(binom.test(x, 13, conf.level = 0.9)$conf.int))
  }
  expect_identical(clopper_pearson(0, 0, 0.95), list(lower = NA_real_, upper = NA_real_))
})

test_that("Wilson's intervals are those of Newcombe (1998), table I, method 3, and prop.test()", {
  ours <- wilson(c(81, 15, 0, 1), c(263, 148, 20, 29), 0.95)
  expect_equal(round(ours$lower, 4), c(0.2553, 0.0624, 0, 0.0061))
  expect_equal(round(ours$upper, 4), c(0.3662, 0.1605, 0.1611, 0.1718))
  for (x in c(0, 1, 7, 13)) {
    theirs <- prop.test(x, 13, conf.level = 0.9, correct = FALSE)$conf.int
    expect_equal(unlist(wilson(x, 13, 0.9), use.names = FALSE), as.numeric(theirs))
  }
  p <- read_predictions(fixture("ok_ties_200.csv"))
  wilsons <- confusion(p, interval = "wilson")$overall
  expect_identical(wilsons$method[wilsons$metric == "sensitivity"], "Wilson")
})

test_that("documented values of scikit-learn come out", {
  # sklearn.metrics.balanced_accuracy_score
  p <- decided(c("0", "1", "0", "0", "1", "0"), c("0", "1", "0", "0", "0", "1"), c("0", "1"))
  expect_equal(overall(confusion(p), "balanced_accuracy"), 0.625)
  # sklearn.metrics.matthews_corrcoef
  p <- decided(c("1", "1", "1", "-1"), c("1", "-1", "1", "1"), c("-1", "1"))
  expect_equal(overall(confusion(p), "mcc"), -1 / 3)
  # sklearn.metrics.cohen_kappa_score
  p <- decided(
    c("negative", "positive", "negative", "neutral", "positive"),
    c("negative", "positive", "negative", "neutral", "negative"),
    c("negative", "neutral", "positive")
  )
  expect_equal(overall(confusion(p), "cohen_kappa"), 0.6875)
  # sklearn.metrics.f1_score, precision_score, recall_score, average="macro"
  p <- decided(c("0", "1", "2", "0", "1", "2"), c("0", "2", "1", "0", "0", "1"), c("0", "1", "2"))
  matrix <- confusion(p)
  expect_equal(overall(matrix, "f1"), 4 / 15)
  expect_equal(overall(matrix, "precision"), 2 / 9)
  expect_equal(overall(matrix, "sensitivity"), 1 / 3)
})

test_that("Matthews' coefficient is the correlation of two binary variables", {
  p <- as_predictions(random_table(7))
  expect_equal(
    overall(confusion(p), "mcc"), cor(as.numeric(decision_of(p)), as.numeric(p$true_label))
  )
})

test_that("an undefined value is NA, with its reason", {
  never <- confusion(fixture("ok_never_predicted.csv"))
  expect_identical(overall(never, "precision"), NA_real_)
  expect_identical(overall(never, "precision", "reason"), "class 'dog' is never predicted")
  expect_identical(overall(never, "mcc", "reason"), "only class 'cat' is predicted")
  expect_identical(overall(never, "f1"), 0)
  one <- confusion(fixture("ok_one_class_truth.csv"))
  expect_identical(overall(one, "sensitivity", "reason"), "class 'dog' does not occur in the truth")
  expect_identical(overall(one, "mcc", "reason"), "only class 'cat' occurs in the truth")
  expect_identical(
    overall(one, "balanced_accuracy", "reason"), "left out: class 'dog' does not occur in the truth"
  )
  expect_identical(overall(one, "precision"), 0)
  same <- confusion(decided(c("a", "a"), c("a", "a"), c("a", "b")))
  expect_identical(overall(same, "cohen_kappa"), NA_real_)
  expect_identical(overall(same, "cohen_kappa", "reason"), "only class 'a' occurs in the truth")
  nowhere <- confusion(decided(c("a", "a"), c("a", "a"), c("a", "b")), positive = "b")
  expect_identical(
    overall(nowhere, "f1", "reason"), "class 'b' neither occurs in the truth nor is predicted"
  )
})

test_that("a mean leaves out undefined classes and names them", {
  p <- decided(c("a", "b", "b"), c("a", "a", "b"), c("a", "b", "c", "d"))
  matrix <- confusion(p)
  expect_equal(overall(matrix, "sensitivity"), 0.75)
  expect_identical(
    overall(matrix, "sensitivity", "reason"),
    "left out: classes 'c', 'd' do not occur in the truth"
  )
  expect_identical(
    overall(matrix, "precision", "reason"), "left out: classes 'c', 'd' are never predicted"
  )
  expect_identical(
    overall(matrix, "f1", "reason"),
    "left out: classes 'c', 'd' neither occur in the truth nor are predicted"
  )
})

test_that("counts above 46340 do not overflow", {
  counts <- as.table(matrix(c(2e6, 1e6, 1e6, 2e6), 2, dimnames = list(c("a", "b"), c("a", "b"))))
  tallied <- list(counts = counts, squares = counts, rows = counts)
  tallied$overall <- accuracy_and_kappa(counts)
  values <- class_values(tallied)
  expect_equal(matthews(values), 1 / 3)
  rows <- agreement_opinions(tallied, values, 0.95, "exact")
  expect_equal(rows$estimate[rows$metric == "cohen_kappa"], 1 / 3)
})

test_that("conf_level is checked", {
  p <- read_predictions(fixture("ok_binary.csv"))
  for (level in list(0, 1, 95, NA, "a", c(0.9, 0.95))) {
    expect_error(confusion(p, conf_level = level), class = "rside_error_argument")
  }
})
