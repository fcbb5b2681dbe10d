test_that("the curve names its AUC, interval and counts", {
  plot <- ggplot2::autoplot(roc_curve(fixture("ok_ties_200.csv")))
  expect_match(plot$labels$subtitle, "AUC 0.7541 [0.6876, 0.8205] (95%, DeLong)", fixed = TRUE)
  expect_match(plot$labels$subtitle, "n = 200: 103 'cat', 97 'dog'", fixed = TRUE)
  expect_match(plot$labels$title, "'dog'", fixed = TRUE)
  draws(plot)
})

test_that("degenerate curves draw, or say why not", {
  plot <- ggplot2::autoplot(roc_curve(fixture("ok_perfect.csv")))
  expect_match(plot$labels$subtitle, "Newcombe", fixed = TRUE)
  draws(plot)
  draws(ggplot2::autoplot(roc_curve(fixture("ok_constant.csv"))))
  refusal <- expect_error(
    ggplot2::autoplot(roc_curve(fixture("ok_one_class_truth.csv"))), class = "rside_error_argument"
  )
  expect_match(conditionMessage(refusal), "only class 'cat' occurs in the truth", fixed = TRUE)
})

test_that("a confusion matrix draws for two classes and for many", {
  small <- ggplot2::autoplot(confusion(fixture("ok_binary.csv")))
  expect_match(small$data$text, "%", all = FALSE)
  draws(small)
  large <- ggplot2::autoplot(confusion(fixture("ok_odd_names.csv")))
  expect_false(any(grepl("%", large$data$text)))
  # As CRAN checks, text that a PDF's encoding lacks is an error: it is laid out, not drawn.
  expect_no_error(ggplot2::ggplot_build(large))
  draws(ggplot2::autoplot(confusion(fixture("ok_absent_class.csv"))))
  huge <- as.character(1:50)
  draws(ggplot2::autoplot(confusion(decided(huge, huge, huge))))
})

test_that("a validation draws what fits", {
  binary <- validate(fixture("ok_binary.csv"))
  expect_match(ggplot2::autoplot(binary)$labels$title, "ROC")
  expect_match(ggplot2::autoplot(binary, type = "confusion")$labels$title, "Confusion")
  several <- validate(fixture("ok_multiclass.csv"))
  expect_match(ggplot2::autoplot(several)$labels$title, "Confusion")
  expect_error(ggplot2::autoplot(several, type = "roc"), class = "rside_error_argument")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_identical(plot(binary), binary)
})

test_that("an AUC alone is refused, with what to draw", {
  refusal <- expect_error(plot(auc_ci(fixture("ok_binary.csv"))), class = "rside_error_argument")
  expect_match(conditionMessage(refusal), "roc_curve()", fixed = TRUE)
})
