few <- function(...) operating_points(..., replicates = 20)

asah <- function(marker, scale) {
  data("aSAH", package = "pROC", envir = environment())
  binary(as.character(aSAH$outcome), as.numeric(aSAH[[marker]]) / scale, c("Good", "Poor"))
}

# A table whose decisions at 0.5 give these counts.
counted <- function(tp, fn, tn, fp) {
  binary(rep(c("pos", "neg"), c(tp + fn, tn + fp)), rep(c(1, 0, 0, 1), c(tp, fn, tn, fp)))
}

number <- function(points, metric, column = "estimate", rule = points$points$rule[[1]]) {
  rows <- points$values
  rows[[column]][rows$rule == rule & rows$metric == metric]
}

# --- which threshold ----------------------------------------------------------

test_that("best thresholds are pROC's, at the observed score just above its midpoint", {
  markers <- list(s100b = 4, ndka = 500, wfns = 5)
  for (marker in names(markers)) {
    table <- asah(marker, markers[[marker]])
    score <- table$pred_prob_Poor
    roc <- pROC::roc(table$true_label, score, levels = c("Good", "Poor"), direction = "<")
    theirs <- function(...) {
      best <- pROC::coords(roc, "best", ret = c("threshold", "specificity", "sensitivity"), ...)
      best[which.max(best$threshold), ]
    }
    ours <- few(table, cost_ratio = c(3, 0.5), prevalence = 0.2)
    expected <- list(
      youden = theirs(best.method = "youden"),
      closest_topleft = theirs(best.method = "closest.topleft"),
      `cost ratio 3` = theirs(best.method = "youden", best.weights = c(3, 0.2)),
      `cost ratio 0.5` = theirs(best.method = "youden", best.weights = c(0.5, 0.2))
    )
    expect_equal(ours$points$rule, names(expected))
    for (rule in names(expected)) {
      best <- expected[[rule]]
      expect_equal(
        ours$points$threshold[ours$points$rule == rule],
        if (best$threshold == Inf) Inf else min(score[score > best$threshold])
      )
      for (rate in c("sensitivity", "specificity")) {
        expect_equal(number(ours, rate, rule = rule), best[[rate]])
      }
    }
  }
})

test_that("the threshold of S100B is the one of pROC's documentation", {
  # coords(roc(aSAH$outcome, aSAH$s100b), "best"): 0.205, specificity 0.8055556, sensitivity
  # 0.6341463; the observed score above 0.205 is 0.22
  points <- few(asah("s100b", 4), "youden")
  expect_equal(points$points$threshold * 4, 0.22)
  expect_equal(number(points, "specificity"), 0.8055556, tolerance = 1e-6)
  expect_equal(number(points, "sensitivity"), 0.6341463, tolerance = 1e-6)
})

# Every rule in whole numbers, over every score and Inf, the greatest threshold first.
by_hand <- function(truth, score) {
  candidates <- c(Inf, sort(unique(score), decreasing = TRUE))
  m <- sum(truth == "b")
  n <- sum(truth == "a")
  tp <- sapply(candidates, function(t) sum(truth == "b" & score >= t))
  fp <- sapply(candidates, function(t) sum(truth == "a" & score >= t))
  candidates[c(
    which.max(tp * n - fp * m),
    which.min((m - tp)^2 * n^2 + fp^2 * m^2),
    which(10 * tp >= 9 * m)[1],
    max(which(20 * (n - fp) >= 19 * n)),
    which.min(3 * (m - tp) + fp)
  )]
}

test_that("every rule finds what counting every threshold finds, ties included", {
  for (seed in 1:40) {
    table <- random_table(seed, n = sample(4:40, 1))
    points <- operating_points(
      table, sensitivity = 0.9, specificity = 0.95, cost_ratio = 3, replicates = 2
    )
    expect_identical(points$points$threshold, by_hand(table$true_label, table$pred_prob_b))
  }
})

test_that("of equally good thresholds the greatest is taken", {
  # Youden's index is 2/4 - 0/4 at 0.7 and 3/4 - 1/4 at 0.5, and less elsewhere.
  tied <- binary(c("pos", "pos", "neg", "pos", "neg", "neg", "pos", "neg"), 8:1 / 10)
  expect_equal(few(tied, "youden")$points$threshold, 0.7)
  expect_match(format(few(tied)), "of equally good ones the greatest is taken", all = FALSE)
})

test_that("rounding does not break a tie or miss a target", {
  table <- random_table(3)
  plain <- few(table, sensitivity = c(0.1, 0.3, 0.7), specificity = c(0.6, 0.9), cost_ratio = 2)
  for (weight in c(0.1, 0.3, 1 / 3)) {
    # Two copies of every row, so that the weights are not all equal and yet change no rate.
    weighted <- few(
      cbind(rbind(table, table), weight = rep(c(weight, 3 * weight), each = nrow(table))),
      sensitivity = c(0.1, 0.3, 0.7), specificity = c(0.6, 0.9), cost_ratio = 2
    )
    expect_identical(weighted$points$threshold, plain$points$threshold)
  }
})

test_that("a target out of reach is met by calling nothing positive", {
  table <- binary(c("neg", "pos", "neg", "pos"), c(0.9, 0.8, 0.2, 0.1))
  points <- few(table, NULL, specificity = 0.9)
  expect_equal(points$points$threshold, Inf)
  expect_match(points$points$reason, "no row is called positive")
  expect_equal(number(points, "specificity"), 1)
  expect_match(number(points, "precision", "reason"), "is never predicted")
  everything <- few(table, NULL, sensitivity = 1)
  expect_equal(everything$points$threshold, 0.1)
  expect_match(everything$points$reason, "every row is called positive")
})

test_that("stated thresholds stay as they are, the table's own among them", {
  path <- system.file("extdata", "preds.csv", package = "rside")
  points <- few(path, NULL, threshold = c(0.25, 0.5))
  expect_equal(points$points$threshold, c(0.25, 0.5))
  expect_true(all(is.na(points$points[c("lower", "upper")])))
  expect_match(points$points$reason, "stated")
  expect_null(points$optimism)
  at_half <- few(path)
  expect_equal(at_half$points$rule, c("youden", "closest_topleft", "threshold 0.5"))
  decision <- confusion(path)$overall
  for (metric in c("sensitivity", "specificity", "precision", "npv", "f1", "accuracy")) {
    expected <- decision[decision$metric == metric, ]
    actual <- at_half$values[at_half$values$rule == "threshold 0.5", -1]
    expect_equal(actual[actual$metric == metric, ], expected, ignore_attr = TRUE)
  }
  # An assumed threshold is nobody's operating point.
  expect_equal(few(random_table(1))$points$rule, c("youden", "closest_topleft"))
})

# --- what it is worth ---------------------------------------------------------

test_that("ratios have the intervals of Simel and of Woolf", {
  # epiR::epi.tests(as.table(matrix(c(670, 202, 74, 640), 2, byrow = TRUE))) 2.0.57, its example 1:
  # LR+ 3.75 (3.32 to 4.24)
  points <- few(counted(670, 74, 640, 202), NULL, threshold = 0.5)
  interval <- function(metric) {
    unlist(points$values[points$values$metric == metric, c("estimate", "lower", "upper")])
  }
  expect_equal(
    interval("likelihood_ratio_positive"), c(3.753726179070, 3.320688435507, 4.243234648805),
    ignore_attr = TRUE
  )
  expect_equal(
    interval("likelihood_ratio_negative"), c(0.130855174731, 0.105064323512, 0.162977080912),
    ignore_attr = TRUE
  )
  # vcd::oddsratio(matrix(c(670, 202, 74, 640), 2, byrow = TRUE)), exponentiated
  expect_equal(
    interval("diagnostic_odds_ratio"), c(28.68611185, 21.51819166, 38.24173641),
    ignore_attr = TRUE
  )
  # The same by epiR, which takes exact intervals.
  expect_equal(
    interval("sensitivity"), c(0.900537634409, 0.876746176796, 0.921092299584), ignore_attr = TRUE
  )
})

test_that("Youden's index has Newcombe's interval of a difference", {
  # Newcombe (1998) <doi:10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I>, table
  # II, method 10
  published <- rbind(
    c(56, 70, 48, 80, 0.0524, 0.3339), c(9, 10, 3, 10, 0.1705, 0.8090),
    c(6, 7, 2, 7, 0.0582, 0.8062), c(5, 56, 0, 29, -0.0381, 0.1926),
    c(0, 10, 0, 20, -0.1611, 0.2775), c(0, 10, 0, 10, -0.2775, 0.2775),
    c(10, 10, 0, 20, 0.6791, 1), c(10, 10, 0, 10, 0.6075, 1)
  )
  for (i in seq_len(nrow(published))) {
    row <- published[i, ]
    table <- counted(row[1], row[2] - row[1], row[4] - row[3], row[3])
    points <- few(table, NULL, threshold = 0.5)
    expect_equal(number(points, "youden_index"), row[1] / row[2] - row[3] / row[4])
    ends <- c(number(points, "youden_index", "lower"), number(points, "youden_index", "upper"))
    expect_equal(round(ends, 4), row[5:6])
  }
})

test_that("a ratio of 0, of infinity or of neither says so, and no cell is added to", {
  at <- function(...) few(counted(...), NULL, threshold = 0.5)
  ratios <- c(
    "likelihood_ratio_positive", "likelihood_ratio_negative", "diagnostic_odds_ratio"
  )
  estimates <- function(points) {
    vapply(ratios, function(metric) number(points, metric), 0, USE.NAMES = FALSE)
  }
  expect_equal(estimates(at(3, 1, 4, 0)), c(Inf, 0.25, Inf))
  expect_equal(estimates(at(4, 0, 3, 1)), c(4, 0, Inf))
  expect_equal(estimates(at(4, 0, 4, 0)), c(Inf, 0, Inf))
  expect_equal(estimates(at(0, 4, 3, 1)), c(0, 4 / 3, 0))
  expect_equal(estimates(at(0, 4, 4, 0)), c(NA, 1, NA))
  expect_equal(estimates(at(4, 0, 0, 4)), c(1, NA, NA))
  for (points in list(at(3, 1, 4, 0), at(0, 4, 4, 0), at(4, 0, 0, 4))) {
    rows <- points$values
    expect_true(all(!is.na(rows$reason[is.na(rows$lower)])))
    expect_true(all(is.na(rows$reason[!is.na(rows$lower)])))
  }
  expect_equal(
    number(at(3, 1, 4, 0), "likelihood_ratio_positive", "reason"),
    "infinite, so no interval: 1 - specificity is 0"
  )
  # One empty cell leaves the other ratio its interval: Simel by longhand.
  positive <- at(4, 0, 3, 1)
  expect_equal(
    number(positive, "likelihood_ratio_positive", "upper"), exp(log(4) + qnorm(0.975) * sqrt(3 / 4))
  )
})

test_that("standard errors are those of small changes in the weights", {
  for (seed in 1:4) {
    table <- random_table(seed, n = 50)
    table$weight <- sample(1:5, 50, replace = TRUE)
    threshold <- 0.5
    points <- few(table, NULL, threshold = threshold)
    positive <- table$true_label == "b"
    called <- table$pred_prob_b >= threshold
    statistics <- function(w) {
      se <- sum(w[positive & called]) / sum(w[positive])
      sp <- sum(w[!positive & !called]) / sum(w[!positive])
      c(
        youden_index = se + sp - 1, likelihood_ratio_positive = se / (1 - sp),
        likelihood_ratio_negative = (1 - se) / sp,
        diagnostic_odds_ratio = se / (1 - se) * sp / (1 - sp)
      )
    }
    step <- 1e-5
    derivative <- sapply(seq_len(50), function(i) {
      up <- down <- table$weight
      up[i] <- up[i] + step
      down[i] <- down[i] - step
      (statistics(up) - statistics(down)) / (2 * step)
    })
    expected <- sqrt(rowSums(sweep(derivative, 2, table$weight, `*`)^2))
    for (metric in names(expected)) {
      expect_equal(number(points, metric), statistics(table$weight)[[metric]])
      expect_equal(number(points, metric, "std_error"), expected[[metric]], tolerance = 1e-6)
    }
  }
})

test_that("intervals of ratios agree with the bootstrap where there are many rows", {
  table <- counted(160, 40, 450, 150)
  points <- few(table, NULL, threshold = 0.5)
  set.seed(1)
  tp <- rbinom(4000, 200, 0.8)
  fp <- rbinom(4000, 600, 0.25)
  draws <- list(
    likelihood_ratio_positive = (tp / 200) / (fp / 600),
    likelihood_ratio_negative = (1 - tp / 200) / (1 - fp / 600),
    diagnostic_odds_ratio = tp / (200 - tp) * (600 - fp) / fp,
    youden_index = tp / 200 - fp / 600
  )
  for (metric in names(draws)) {
    ends <- c(number(points, metric, "lower"), number(points, metric, "upper"))
    expect_equal(quantile(draws[[metric]], c(0.025, 0.975), names = FALSE), ends, tolerance = 0.05)
  }
})

# --- optimism and the interval of a threshold ---------------------------------

# The same samples, their rows written out, the thresholds counted by hand.
repeated <- function(table, replicates, seed) {
  truth <- table$true_label
  times <- bootstrap(identity, truth == "b", rep(1, nrow(table)), replicates, seed)
  t(apply(times, 1, function(k) {
    sample <- table[rep(seq_along(k), k), ]
    threshold <- by_hand(sample$true_label, sample$pred_prob_b)
    rates <- function(table, at) {
      called <- table$pred_prob_b >= at
      positive <- table$true_label == "b"
      c(mean(called[positive]), mean(!called[!positive]))
    }
    c(threshold, sapply(threshold, function(t) rates(sample, t) - rates(table, t)))
  }))
}

test_that("the choice is repeated in every sample, and its optimism taken off", {
  table <- random_table(11, n = 50)
  points <- operating_points(
    table, sensitivity = 0.9, specificity = 0.95, cost_ratio = 3, replicates = 60, seed = 5
  )
  draws <- repeated(table, 60, 5)
  rules <- points$points$rule
  for (i in seq_along(rules)) {
    sorted <- sort(draws[, i])
    # Order statistics: the 2nd of 60, and the 59th.
    expect_equal(points$points$lower[[i]], sorted[[2]])
    expect_equal(points$points$upper[[i]], sorted[[59]])
    expected <- colMeans(draws[, 5 + 2 * i - 1:0])
    rows <- points$optimism[points$optimism$rule == rules[[i]], ]
    expect_equal(rows$metric, c("sensitivity", "specificity", "youden_index"))
    expect_equal(rows$optimism, c(expected, sum(expected)))
    apparent <- sapply(rows$metric, function(metric) number(points, metric, rule = rules[[i]]))
    expect_equal(rows$apparent, apparent, ignore_attr = TRUE)
    corrected <- pmin(pmax(rows$apparent[1:2] - expected, 0), 1)
    expect_equal(rows$corrected, c(corrected, sum(corrected) - 1))
    cases <- rev(as.vector(table(table$true_label)))
    upper <- qbeta(0.975, corrected * cases + 1, cases - corrected * cases)
    expect_equal(rows$upper[1:2], upper)
  }
})

test_that("a threshold's interval holds observed scores, and the seed decides", {
  table <- random_table(2)
  one <- few(table, seed = 1)
  expect_true(all(unlist(one$points[c("lower", "upper")]) %in% c(table$pred_prob_b, Inf)))
  expect_identical(one, few(table, seed = 1))
  set.seed(7)
  before <- .Random.seed
  few(table, seed = 2)
  expect_identical(.Random.seed, before)
})

# --- properties ---------------------------------------------------------------

test_that("order, labels and a rescaling of the scores change nothing", {
  for (seed in 1:5) {
    table <- random_table(seed)
    points <- operating_points(table, sensitivity = 0.8, cost_ratio = 2, replicates = 2)
    shuffled <- table[sample(nrow(table)), ]
    again <- operating_points(shuffled, sensitivity = 0.8, cost_ratio = 2, replicates = 2)
    expect_equal(again$values, points$values)
    halved <- binary(table$true_label, table$pred_prob_b / 2, c("a", "b"))
    scaled <- operating_points(halved, sensitivity = 0.8, cost_ratio = 2, replicates = 2)
    expect_equal(scaled$values, points$values)
    expect_equal(scaled$points$threshold, points$points$threshold / 2)
    renamed <- binary(
      c(a = "no", b = "yes")[table$true_label], table$pred_prob_b, c("no", "yes")
    )
    expect_equal(
      operating_points(renamed, sensitivity = 0.8, cost_ratio = 2, replicates = 2)$points,
      points$points
    )
  }
})

test_that("the other class as the positive one reaches the same Youden index", {
  for (seed in 1:5) {
    table <- random_table(seed)
    expect_equal(
      number(few(table, "youden", positive = "a"), "youden_index"),
      number(few(table, "youden"), "youden_index")
    )
  }
})

test_that("a weight counts a row as so many copies, and only ratios of weights matter", {
  names <- c("rule", "metric", "estimate")
  ask <- function(table) {
    operating_points(
      table, sensitivity = 0.8, specificity = 0.8, cost_ratio = 2, threshold = 0.5, replicates = 5
    )
  }
  for (seed in 1:4) {
    table <- random_table(seed, n = 40)
    plain <- ask(table)
    expect_equal(ask(cbind(table, weight = 1)), plain)
    times <- sample(0:3, 40, replace = TRUE)
    copies <- ask(table[rep(seq_len(40), times), ])
    weighted <- ask(cbind(table, weight = times))
    expect_equal(weighted$values[names], copies$values[names])
    expect_equal(weighted$points$threshold, copies$points$threshold)
    expect_equal(weighted$prevalence, copies$prevalence)
    larger <- ask(cbind(table, weight = times * 8))
    expect_equal(larger, weighted)
    expect_equal(ask(cbind(table, weight = times * 0.1)), weighted)
  }
})

test_that("degenerate tables give reasons, never an error", {
  expect_reasons <- function(points) {
    rows <- points$values
    expect_true(all(!is.na(rows$reason[is.na(rows$estimate)])))
    expect_gt(nchar(paste(format(points), collapse = "")), 0)
  }
  one_class <- few(binary(c("neg", "neg"), c(0.2, 0.7)), sensitivity = 0.9, threshold = 0.5)
  expect_true(all(is.na(one_class$points$threshold[1:3])))
  expect_match(one_class$points$reason[1:3], "only class 'neg' occurs in the truth")
  expect_equal(number(one_class, "specificity", rule = "threshold 0.5"), 0.5)
  expect_null(one_class$optimism)
  expect_reasons(one_class)
  expect_reasons(few(binary("pos", 0.4), cost_ratio = 2, threshold = 0.1))
  expect_reasons(few(binary(c("neg", "pos"), c(0.5, 0.5)), sensitivity = 1, specificity = 1))
  expect_reasons(few(binary(c("neg", "pos"), c(0.1, 0.9)), sensitivity = 1, specificity = 1))
  expect_reasons(few(binary(c("pos", "neg"), c(0.1, 0.9)), sensitivity = 1, specificity = 1))
  constant <- few(binary(rep(c("neg", "pos"), 4), rep(0.5, 8)))
  expect_equal(constant$points$threshold, c(Inf, Inf))
  expect_match(constant$points$reason, "every bootstrap sample gives the same number")
})

test_that("what cannot be asked for is refused", {
  table <- random_table(1)
  refused <- function(...) expect_error(few(...), class = "rside_error_argument")
  refused(table, "best")
  refused(table, NULL)
  refused(table, sensitivity = 0)
  refused(table, sensitivity = 90)
  refused(table, specificity = NA_real_)
  refused(table, specificity = "0.9")
  refused(table, cost_ratio = c(1, 0))
  refused(table, cost_ratio = 2, prevalence = 1)
  refused(table, prevalence = 0.1)
  refused(table, threshold = 1.5)
  refused(table, conf_level = 95)
  refused(table, interval = "wald")
  expect_error(operating_points(table, replicates = 1), class = "rside_error_argument")
  several <- refused(random_table(1, k = 3))
  expect_match(conditionMessage(several), "'a', 'b', 'c'", fixed = TRUE)
})

# --- results ------------------------------------------------------------------

test_that("a result prints its rule and fits the page", {
  path <- system.file("extdata", "preds.csv", package = "rside")
  points <- few(path, sensitivity = 0.9, cost_ratio = 5, prevalence = 0.1)
  lines <- unlist(strsplit(format(points), "\n"))
  expect_true(all(nchar(lines) <= 80))
  expect_match(lines, "called where its score is >= the threshold", all = FALSE)
  expect_match(lines, "youden: score >= 0.5209", fixed = TRUE, all = FALSE)
  expect_match(lines, "costs at a prevalence of 0.1000", all = FALSE)
  expect_match(lines, "looks better than it is", all = FALSE)
  expect_output(print(points), "operating points: 126 'cat', 74 'dog'")
})

test_that("a result gives data frames", {
  points <- few(random_table(1), interval = "wilson")
  expect_identical(as.data.frame(points), points$values)
  expect_identical(summary(points), tidy(points))
  expect_equal(
    names(tidy(points)),
    c(
      "rule", "term", "estimator", "class", "estimate", "std.error", "conf.low", "conf.high",
      "method", "reason"
    )
  )
  expect_true("Wilson" %in% points$values$method)
  row <- glance(points)
  expect_equal(nrow(row), 1)
  expect_equal(row$n, 60)
  expect_equal(row$points, 2)
})
