calibrated <- function(table, ...) calibration(table, ..., replicates = 20)

test_that("a diagram names error, slope, counts and bins", {
  found <- calibrated(system.file("extdata", "preds.csv", package = "rside"))
  plot <- ggplot2::autoplot(found)
  expect_match(plot$labels$title, "positive class 'dog'", fixed = TRUE)
  subtitle <- strsplit(plot$labels$subtitle, "\n")[[1]]
  expect_match(subtitle[[1]], "^Expected calibration error 0\\.0957 \\[.*\\] \\(95%\\)$")
  expect_match(subtitle[[2]], "Slope 1.2914 [0.9126, 1.6703] (95%)", fixed = TRUE)
  expect_identical(subtitle[[3]], "n = 200: 126 'cat', 74 'dog'; 10 bins of equal counts")
  expect_identical(nrow(plot$data), 10L)
  draws(plot)
})

test_that("several classes have a panel each, at most nine", {
  plot <- ggplot2::autoplot(calibrated(random_table(1, 60, k = 3)))
  expect_identical(nlevels(plot$data$panel), 3L)
  expect_match(levels(plot$data$panel)[[1]], "^a, n = [0-9]+\nslope ")
  expect_no_match(plot$labels$subtitle, "most frequent")
  draws(plot)
  many <- random_table(2, 120, k = 12)
  long <- strrep("long name ", 9)
  names(many)[[2]] <- paste0("pred_prob_", long)
  many$true_label[many$true_label == "a"] <- long
  # Too rare to be drawn.
  many <- many[!many$true_label %in% c("c", "d", "e"), ]
  plot <- ggplot2::autoplot(calibrated(many))
  expect_identical(nlevels(plot$data$panel), 9L)
  expect_setequal(unique(plot$data$class), c(long, letters[c(2, 6:12)]))
  expect_match(plot$labels$subtitle, "the 9 most frequent of 12 classes", fixed = TRUE)
  draws(plot)
})

test_that("degenerate tables draw", {
  for (table in list(
    binary("pos", 0.3), binary(rep("neg", 4), c(0, 0.1, 0.5, 1)), random_table(3, 3, k = 3)
  )) {
    draws(ggplot2::autoplot(calibrated(table)))
  }
  plot <- ggplot2::autoplot(calibrated(binary("pos", 0.3)))
  expect_match(plot$labels$subtitle, "\nSlope NA\n", fixed = TRUE)
})
