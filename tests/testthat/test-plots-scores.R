bars_of <- function(plot, class) {
  bars <- plot$data[plot$data$class == class, ]
  all <- numeric(40)
  all[round(bars$left * 40) + 1] <- bars$share
  all
}

test_that("bars are the histogram of each class, shares of the class", {
  table <- random_table(1, n = 200)
  plot <- plot_scores(table)
  for (class in c("a", "b")) {
    score <- table$pred_prob_b[table$true_label == class]
    counts <- hist(score, seq(0, 1, 1 / 40), right = FALSE, include.lowest = TRUE, plot = FALSE)
    expect_equal(bars_of(plot, class), counts$counts / length(score))
  }
  expect_true(all(plot$data$end[plot$data$class == "a"] < 0))
  expect_true(all(plot$data$end[plot$data$class == "b"] > 0))
  draws(plot)
})

test_that("a score on the edge of two bars lies in the upper one, and 1 in the last", {
  # 0.3 / 0.025 and 0.7 / 0.025 are not whole numbers in floating point.
  plot <- plot_scores(binary(c("neg", "pos", "pos", "pos"), c(0.3, 0.7, 1, 0)))
  expect_equal(which(bars_of(plot, "neg") > 0), 13)
  expect_equal(which(bars_of(plot, "pos") > 0), c(1, 29, 40))
})

test_that("weights count, and equal weights change nothing", {
  table <- random_table(2)
  times <- sample(0:3, 60, replace = TRUE)
  expect_equal(
    plot_scores(cbind(table, weight = times))$data, plot_scores(table[rep(1:60, times), ])$data
  )
  expect_equal(plot_scores(cbind(table, weight = 2))$data, plot_scores(table)$data)
})

test_that("the subtitle names the counts, and the threshold where it decides", {
  path <- system.file("extdata", "preds.csv", package = "rside")
  plot <- plot_scores(path)
  expect_match(plot$labels$subtitle, "n = 200: 126 'cat', 74 'dog'", fixed = TRUE)
  expect_match(plot$labels$subtitle, "positive from 0.5 on", fixed = TRUE)
  expect_match(plot_scores(path, positive = "cat")$labels$title, "'cat'", fixed = TRUE)
  decided <- binary(c("neg", "pos"), c(0.2, 0.8), pred_label = c("pos", "neg"))
  expect_no_match(plot_scores(decided)$labels$subtitle, "positive from")
  draws(plot_scores(decided))
})

test_that("with more classes each shows the score of itself", {
  table <- random_table(4, n = 90, k = 3)
  plot <- plot_scores(table)
  for (class in c("a", "b", "c")) {
    score <- table[[paste0("pred_prob_", class)]][table$true_label == class]
    counts <- hist(score, seq(0, 1, 1 / 40), right = FALSE, include.lowest = TRUE, plot = FALSE)
    expect_equal(bars_of(plot, class), counts$counts / length(score))
  }
  expect_match(plot$labels$subtitle, "n = 90; .*dashed: 1 / 3")
  draws(plot)
  draws(plot_scores(fixture("ok_absent_class.csv")))
  # As CRAN checks, text that a PDF's encoding lacks is an error: it is laid out, not drawn.
  expect_no_error(ggplot2::ggplot_build(plot_scores(fixture("ok_odd_names.csv"))))
})

test_that("degenerate scores draw", {
  for (file in c("ok_one_class_truth.csv", "ok_constant.csv", "ok_perfect.csv")) {
    draws(plot_scores(fixture(file)))
  }
  draws(plot_scores(binary("pos", 1)))
  long <- strrep("a long name ", 8)
  named <- binary(c(long, "b"), c(0.2, 0.8), c(long, "b"))
  expect_match(plot_scores(named)$labels$subtitle, "...',\n1 'b'", fixed = TRUE)
  draws(plot_scores(named))
})

test_that("operating points are marked on the curve, one mark for equal thresholds", {
  path <- system.file("extdata", "preds.csv", package = "rside")
  points <- operating_points(path, sensitivity = 0.9, replicates = 5)
  plot <- ggplot2::autoplot(points)
  expect_equal(
    plot$data$label,
    c(
      "youden\nclosest_topleft\nscore >= 0.5209", "threshold 0.5\nscore >= 0.5",
      "sensitivity >= 0.9\nscore >= 0.3763"
    )
  )
  of_rule <- function(metric, column) {
    points$values[[column]][points$values$metric == metric][c(1, 4, 3)]
  }
  expect_equal(plot$data$sensitivity, of_rule("sensitivity", "estimate"))
  expect_equal(plot$data$specificity_upper, of_rule("specificity", "upper"))
  expect_match(plot$labels$subtitle, "n = 200: 126 'cat', 74 'dog'", fixed = TRUE)
  expect_match(plot$labels$subtitle, "95% intervals", fixed = TRUE)
  draws(plot)
})

test_that("degenerate operating points draw, or say why not", {
  for (file in c("ok_constant.csv", "ok_perfect.csv")) {
    draws(ggplot2::autoplot(operating_points(fixture(file), replicates = 5)))
  }
  refusal <- expect_error(
    ggplot2::autoplot(operating_points(fixture("ok_one_class_truth.csv"), replicates = 5)),
    class = "rside_error_argument"
  )
  expect_match(conditionMessage(refusal), "only class 'cat' occurs in the truth", fixed = TRUE)
})
