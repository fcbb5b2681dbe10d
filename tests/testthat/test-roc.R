asah <- function(marker, scale = 1) {
  data("aSAH", package = "pROC", envir = environment())
  binary(as.character(aSAH$outcome), as.numeric(aSAH[[marker]]) / scale, c("Good", "Poor"))
}

test_that("the published AUCs of the aSAH study come out", {
  # Robin et al. (2011) <doi:10.1186/1471-2105-12-77>, table 2 and text; DeLong by help(ci.auc)
  s100b <- auc_ci(asah("s100b", 4))
  expect_equal(round(s100b$estimate, 4), 0.7314)
  expect_equal(round(c(s100b$lower, s100b$upper), 4), c(0.6301, 0.8326))
  expect_equal(round(auc_ci(asah("ndka", 500))$estimate, 4), 0.6120)
  expect_equal(round(auc_ci(asah("wfns", 5))$estimate, 4), 0.8237)
})

test_that("the documented AUC of scikit-learn comes out", {
  # sklearn.metrics.roc_auc_score, roc_curve
  roc <- roc_curve(binary(c("0", "0", "1", "1"), c(0.1, 0.4, 0.35, 0.8), c("0", "1")))
  expect_equal(roc$auc, 0.75)
  expect_equal(roc$curve$threshold, c(Inf, 0.8, 0.4, 0.35, 0.1))
  expect_equal(1 - roc$curve$specificity, c(0, 0, 0.5, 0.5, 1))
  expect_equal(roc$curve$sensitivity, c(0, 0.5, 0.5, 1, 1))
})

test_that("AUC and interval agree with counting pairs, ties included", {
  for (seed in 1:5) {
    table <- random_table(seed)
    positive <- table$pred_prob_b[table$true_label == "b"]
    negative <- table$pred_prob_b[table$true_label == "a"]
    auc <- auc_ci(table, conf_level = 0.9)
    expect_equal(auc$estimate, pair_auc(positive, negative))
    expect_equal(c(auc$lower, auc$upper), delong_interval(positive, negative, 0.9))
  }
})

test_that("the direction is never guessed, and what auto would say is told", {
  roc <- roc_curve(fixture("ok_label_swapped.csv"))
  expect_equal(roc$auc, 1 - roc_curve(fixture("ok_binary.csv"))$auc)
  expect_lt(roc$auc, 0.5)
  expect_equal(roc$auto, 1 - roc$auc)
  expect_match(format(roc), "would have reported", all = FALSE)
  for (seed in 1:20) {
    table <- random_table(seed)
    auto <- pROC::roc(
      response = table$true_label, predictor = table$pred_prob_b, levels = c("a", "b"),
      direction = "auto", quiet = TRUE
    )
    expect_equal(roc_curve(table)$auto, as.numeric(auto$auc))
  }
})

test_that("a threshold of the curve gives its decisions with >=", {
  p <- read_predictions(fixture("ok_ties_200.csv"))
  curve <- as.data.frame(roc_curve(p))
  for (row in c(1, 2, 50, nrow(curve))) {
    called <- p$pred_prob_dog >= curve$threshold[row]
    expect_equal(mean(called[p$true_label == "dog"]), curve$sensitivity[row])
    expect_equal(mean(!called[p$true_label == "cat"]), curve$specificity[row])
  }
})

test_that("scores one ulp apart are kept apart", {
  scores <- c(0.5, 0.5 + 2^-53, 0.5 + 2^-52, 0.25)
  roc <- roc_curve(binary(c("neg", "pos", "pos", "neg"), scores))
  expect_identical(roc$auc, 1)
  expect_identical(nrow(roc$curve), 5L)
})

test_that("degenerate tables have Newcombe's interval, and say why", {
  newcombe_for_delong <- "DeLong's variance is 0: Newcombe's interval instead of DeLong's"
  reason <- function(name) roc_curve(fixture(paste0("ok_", name, ".csv")))$reason
  auc <- function(name) roc_curve(fixture(paste0("ok_", name, ".csv")))$auc
  expect_identical(auc("perfect"), 1)
  expect_identical(reason("perfect"), newcombe_for_delong)
  expect_identical(auc("constant"), 0.5)
  expect_identical(reason("constant"), newcombe_for_delong)
  expect_identical(auc("one_class_truth"), NA_real_)
  expect_identical(reason("one_class_truth"), "only class 'cat' occurs in the truth")
  expect_identical(
    reason("one_case"),
    "fewer than two examples of class 'dog': Newcombe's interval instead of DeLong's"
  )
  worst <- roc_curve(binary(c("pos", "pos", "neg", "neg"), c(0.1, 0.2, 0.3, 0.4)))
  expect_identical(worst$auc, 0)
  expect_identical(worst$reason, newcombe_for_delong)
  expect_identical(nrow(roc_curve(fixture("ok_one_class_truth.csv"))$curve), 0L)
})

test_that("hard labels are called so", {
  notes <- validate(fixture("ok_perfect.csv"))$notes
  expect_true("two_valued_scores" %in% notes$code)
  expect_false("two_valued_scores" %in% validate(fixture("ok_binary.csv"))$notes$code)
})

test_that("more than two classes are refused, with the way out", {
  for (curve in list(roc_curve, auc_ci)) {
    refusal <- expect_error(curve(fixture("ok_multiclass.csv")), class = "rside_error_argument")
    expect_match(conditionMessage(refusal), "multiclass_auc()", fixed = TRUE)
  }
})

test_that("the result holds no call and no copy of the data", {
  expect_lt(object.size(auc_ci(fixture("ok_ties_200.csv"))), 10000)
  expect_null(roc_curve(fixture("ok_ties_200.csv"))$call)
})

test_that("millions of pairs do not overflow", {
  n <- 1e5
  table <- binary(rep(c("neg", "pos"), each = n), rep(c(0.25, 0.75, 0.75, 0.5), each = n / 2))
  expect_equal(auc_ci(table)$estimate, pair_auc(c(0.75, 0.5), c(0.25, 0.75)))
})
