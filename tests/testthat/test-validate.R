test_that("a binary report has its rows, in their order", {
  report <- validate(fixture("ok_binary.csv"))
  expect_identical(report$metrics$metric, c(
    "accuracy", "no_information_rate", "balanced_accuracy", "cohen_kappa", "mcc", "sensitivity",
    "specificity", "precision", "npv", "f1", "roc_auc", "average_precision", "log_loss",
    "brier_score"
  ))
  expect_true(all(report$metrics$estimator == "binary"))
  expect_true(all(is.na(report$metrics$class)))
  expect_s3_class(report$roc, "rside_roc")
  expect_identical(report$positive, "dog")
  expect_identical(report$n, 8)
})

test_that("a multiclass report has its rows, in their order", {
  report <- validate(fixture("ok_multiclass.csv"))
  per_class <- c("sensitivity", "specificity", "precision", "npv", "f1", "roc_auc")
  expect_identical(report$metrics$metric, c(
    "accuracy", "no_information_rate", "balanced_accuracy", "cohen_kappa", "mcc",
    rep(c("sensitivity", "precision", "f1"), each = 3), rep("roc_auc", 4),
    "log_loss", "brier_score", rep(per_class, 3)
  ))
  expect_identical(report$metrics$estimator, c(
    rep("multiclass", 5), rep(c("macro", "macro_weighted", "micro"), 3),
    "hand_till", "macro", "macro_weighted", "micro", rep("multiclass", 2), rep("one_vs_rest", 18)
  ))
  expect_identical(report$metrics$class, c(rep(NA, 20), rep(c("bird", "cat", "dog"), each = 6)))
  expect_null(report$roc)
  expect_null(report$positive)
})

test_that("every number is within its range and its interval, or says why it has none", {
  registry <- jsonlite::read_json(system.file("metrics.json", package = "rside"))
  names(registry) <- vapply(registry, `[[`, "", "name")
  bound <- function(metrics, end, otherwise) {
    vapply(metrics, function(name) registry[[name]]$range[[end]] %||% otherwise, 0)
  }
  for (case in Filter(function(case) is.null(case$check), cases())) {
    rows <- validate(fixture(case$file))$metrics
    none <- is.na(rows$lower)
    expect_false(any((none | is.na(rows$estimate)) & is.na(rows$reason)))
    expect_identical(none, is.na(rows$method))
    with <- rows[!none, ]
    expect_true(all(with$lower <= with$estimate & with$estimate <= with$upper))
    expect_true(all(with$lower >= bound(with$metric, 1, -Inf)))
    expect_true(all(with$upper <= bound(with$metric, 2, Inf)))
    expect_true(all(
      rows$estimate >= bound(rows$metric, 1, -Inf) & rows$estimate <= bound(rows$metric, 2, Inf),
      na.rm = TRUE
    ))
  }
})

test_that("the three ways in give one report", {
  path <- fixture("ok_extras.csv")
  from_path <- validate(path)
  expect_identical(validate(read_predictions(path)), from_path)
  table <- as.data.frame(read_predictions(path))
  from_frame <- validate(
    as_predictions(table, classes = c("cat", "dog"), positive = "dog", threshold = 0.625)
  )
  expect_identical(from_frame$metrics, from_path$metrics)
  expect_identical(from_frame$notes, from_path$notes)
})

test_that("positive and threshold can be stated in the call", {
  path <- fixture("ok_binary.csv")
  report <- validate(path, positive = "cat", threshold = 0.25)
  expect_identical(report$positive, "cat")
  expect_identical(report$threshold, 0.25)
  p <- read_predictions(path)
  expect_equal(
    value(report, "sensitivity"), mean(p$pred_prob_cat[p$true_label == "cat"] >= 0.25)
  )
})

test_that("what was assumed or not used is said", {
  codes <- function(...) validate(...)$notes$code
  expect_identical(
    codes(fixture("ok_no_sidecar.csv")),
    c("classes_assumed", "positive_assumed", "threshold_assumed", "low_coverage")
  )
  expect_identical(codes(fixture("ok_binary.csv")), "low_coverage")
  expect_identical(codes(fixture("ok_ties_200.csv")), character())
  expect_true("weights_used" %in% codes(fixture("ok_extras.csv")))
  expect_true("class_absent" %in% codes(fixture("ok_absent_class.csv")))
  expect_true("auto_direction" %in% codes(fixture("ok_label_swapped.csv")))
  stated <- binary(c("neg", "pos", "pos"), c(0.25, 0.5, 0.75), pred_label = "neg")
  notes <- validate(stated)$notes
  expect_match(notes$text[notes$code == "pred_label_differs"], "In 2 rows", fixed = TRUE)
  expect_false("threshold_assumed" %in% notes$code)
})

test_that("reports print within 80 columns, with positive class and orientation", {
  skip_if_not(l10n_info()$`UTF-8`)
  for (name in c("ok_binary.csv", "ok_one_case.csv", "ok_multiclass.csv", "ok_no_sidecar.csv")) {
    out <- capture.output(print(validate(fixture(name))))
    expect_lte(max(nchar(out)), 80)
    expect_match(out, "predictions in rows, truth in columns", all = FALSE)
  }
  expect_match(
    capture.output(print(validate(fixture("ok_binary.csv")))), "positive class: 'dog'",
    fixed = TRUE, all = FALSE
  )
  expect_output(print(multiclass_auc(fixture("ok_multiclass.csv"))), "hand_till")
  expect_output(print(auc_ci(fixture("ok_binary.csv"))), "DeLong")
  expect_output(print(roc_curve(fixture("ok_binary.csv"))), "AUC")
  expect_output(print(confusion(fixture("ok_multiclass.csv"))), "sensitivity 'bird'")
})

test_that("the sample export is a table of the contract", {
  report <- validate(system.file("extdata", "preds.csv", package = "rside"))
  expect_identical(report$n, 200)
  expect_identical(nrow(report$notes), 0L)
})
