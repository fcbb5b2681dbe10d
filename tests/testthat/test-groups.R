grouped <- function(seed, n = 200, k = 2, ...) {
  table <- random_table(seed, n, k)
  table$site <- sample(c("A", "B", "C"), n, TRUE)
  table$sex <- sample(c("f", "m"), n, TRUE)
  cbind(table, ..., stringsAsFactors = FALSE)
}

numbers_of <- function(rows) {
  rows <- rows[setdiff(names(rows), c("group", "level", "n"))]
  rownames(rows) <- NULL
  rows
}

in_slice <- function(found, level, group = "site") {
  numbers_of(found$values[found$values$group == group & found$values$level %in% level, ])
}

test_of <- function(found, metric, class = NA, estimator = NULL, group = "site") {
  tests <- found$homogeneity
  rows <- tests[tests$group == group & tests$metric == metric & tests$class %in% class, ]
  if (!is.null(estimator)) rows <- rows[rows$estimator == estimator, ]
  stopifnot(nrow(rows) == 1)
  rows
}

for (k in c(2, 4)) {
  for (weighted in c(FALSE, TRUE)) {
    label <- paste0(" (", k, " classes", if (weighted) ", weighted", ")")

    test_that(paste0("a slice of everything is the whole", label), {
      table <- grouped(k, k = k, all = "x")
      if (weighted) table$weight <- sample(0:3, nrow(table), TRUE)
      found <- slices(table, by = "all")
      expected <- numbers_of(validate(table)$metrics)
      expect_identical(found$overall, expected)
      expect_identical(in_slice(found, "x", "all"), expected)
      expect_identical(found$worst$difference, 0 * found$worst$difference)
      expect_match(found$homogeneity$reason, "fewer than two slices")
    })

    test_that(paste0("a slice is what validate() says of its rows", label), {
      table <- grouped(k + 10, k = k)
      if (weighted) table$weight <- sample(1:3, nrow(table), TRUE)
      found <- slices(table, by = list("site", c("site", "sex")))
      part <- table[table$site == "B", ]
      expect_identical(in_slice(found, "B"), numbers_of(validate(part)$metrics))
      part <- part[part$sex == "f", ]
      expect_identical(
        in_slice(found, "'B':'f'", "site:sex"), numbers_of(validate(part)$metrics)
      )
      expect_true(all(found$values$n[found$values$level == "'B':'f'"] == nrow(part)))
    })
  }
}

test_that("classes, positive class and threshold stay those of the table", {
  table <- as_predictions(grouped(3), positive = "a", threshold = 0.25)
  part <- as_predictions(
    as.data.frame(table)[table$site == "A", ], positive = "a", threshold = 0.25
  )
  found <- slices(table, by = "site")
  expect_identical(found$positive, "a")
  expect_identical(in_slice(found, "A"), numbers_of(validate(part)$metrics))
  restated <- function(table) as_predictions(table, positive = "b", threshold = 0.75)
  other <- slices(restated(table), by = "site")
  expect_identical(in_slice(other, "A"), numbers_of(validate(restated(part))$metrics))
})

test_that("a class that a slice lacks is undefined there, by the reasons of a report", {
  table <- grouped(4, k = 3)
  table$site[table$true_label == "c"] <- "A"
  found <- slices(table, by = "site")
  lacking <- in_slice(found, "B")
  of_class <- function(metric) lacking[lacking$metric == metric & lacking$class %in% "c", ]
  expect_identical(of_class("sensitivity")$reason, "class 'c' does not occur in the truth")
  expect_identical(of_class("roc_auc")$reason, "class 'c' does not occur in the truth")
  expect_identical(nrow(lacking), nrow(found$overall))
  expect_identical(lacking[1:3], found$overall[1:3])
})

test_that("what is not asked for is not computed", {
  table <- grouped(5)
  all <- slices(table, by = "site")
  some <- slices(table, by = "site", metrics = c("brier_score", "roc_auc"))
  keep <- all$values$metric %in% c("brier_score", "roc_auc")
  expect_identical(numbers_of(some$values), numbers_of(all$values[keep, ]))
  numbers <- asked_numbers("brier_score", as_predictions(table), 0.95)
  expect_identical(
    vapply(environment(numbers)$families, identical, NA, probability_opinions), TRUE
  )
  several <- slices(grouped(6, k = 3), by = "site", metrics = "sensitivity")
  expect_identical(unique(several$values$metric), "sensitivity")
  expect_identical(nrow(several$overall), 6L)
})

# --- missing groups -----------------------------------------------------------

test_that("missing and empty groups are one slice, apart from every text", {
  table <- binary(
    rep(c("neg", "pos"), 6), seq(0.1, 0.65, 0.05),
    site = rep(c(NA, "", "NA", "missing", "A", " "), each = 2), sex = rep(c("f", NA), 6)
  )
  found <- slices(table, by = list("site", c("sex", "site")), metrics = "accuracy")
  rows <- found$values[found$values$group == "site", ]
  expect_identical(rows$level, c(" ", "A", "NA", "missing", NA))
  expect_identical(rows$n, c(2L, 2L, 2L, 2L, 4L))
  expect_match(format(found), "^  missing \\*  +4  ", all = FALSE)
  expect_match(format(found), "^  'missing' \\*  +2  ", all = FALSE)
  crossed <- found$values[found$values$group == "sex:site", ]
  expect_identical(sum(crossed$n), 12L)
  expect_true(all(c("'f':missing", "'f':'missing'", "missing:missing") %in% crossed$level))

  path <- tempfile(fileext = ".csv")
  write_predictions(as_predictions(table), path)
  by_file <- slices(path, by = list("site", c("sex", "site")), metrics = "accuracy")
  expect_identical(by_file$values, found$values)
})

test_that("crossed levels stay apart, whatever they hold", {
  table <- binary(
    rep(c("neg", "pos"), 4), seq(0.1, 0.8, 0.1),
    a = rep(c("x", "x':'y", "x\\", "x\\':'y"), each = 2), b = rep(c("y':'z", "z"), 4)
  )
  expect_identical(nrow(slices(table, by = list(c("a", "b")), metrics = "accuracy")$values), 8L)
})

# --- worst --------------------------------------------------------------------

test_that("the worst slice is by direction, among those that are large enough", {
  table <- binary(
    rep(c("neg", "pos"), 50), c(rep(c(0.25, 0.75), 20), rep(c(0.4, 0.6), 25), rep(c(0.9, 0.1), 5)),
    site = rep(c("sharp", "soft", "wrong"), c(40, 50, 10))
  )
  worst <- slices(table, by = "site")$worst
  of <- function(worst, metric) worst[worst$metric == metric, ]
  expect_identical(of(worst, "log_loss")$level, "soft")
  expect_equal(of(worst, "log_loss")$estimate, -log(0.6))
  whole <- mean((table$pred_prob_pos - (table$true_label == "pos"))^2)
  expect_equal(of(worst, "brier_score")$difference, 0.16 - whole)
  everyone <- slices(table, by = "site", minimum = 10)$worst
  expect_true(all(everyone$level == "wrong"))
  expect_identical(of(everyone, "accuracy")$estimate, 0)
  expect_identical(of(everyone, "accuracy")$overall, 0.9)
  expect_identical(nrow(slices(table, by = "site", minimum = 60)$worst), 0L)
})

test_that("small slices are listed and marked", {
  table <- grouped(7)
  table$site[1:5] <- "Z"
  found <- slices(table, by = c("site", "sex"))
  expect_identical(found$small$level, "Z")
  expect_identical(found$small$n, sum(table$site == "Z"))
  expect_match(format(found), "'Z' \\*", all = FALSE)
  of_site <- found$homogeneity[found$homogeneity$group == "site", ]
  expect_match(of_site$reason, "left out: slice 'Z' with fewer than 30 rows", fixed = TRUE)
  expect_identical(test_of(found, "brier_score")$slices, 3L)
})

# --- homogeneity --------------------------------------------------------------

# Counts of two outcomes per slice, by base R's test.
by_chisq <- function(success, site) {
  suppressWarnings(chisq.test(table(site, success), correct = FALSE))
}

test_that("proportions are tested as chisq.test() tests their counts", {
  table <- grouped(8, n = 300)
  decision <- ifelse(table$pred_prob_b >= 0.5, "b", "a")
  truth <- table$true_label
  found <- slices(table, by = "site")
  same <- function(metric, success, rows) {
    ours <- test_of(found, metric)
    theirs <- by_chisq(success[rows], table$site[rows])
    expect_equal(ours$statistic, theirs$statistic[[1]])
    expect_equal(ours$df, theirs$parameter[[1]])
    expect_equal(ours$p_value, theirs$p.value)
    expect_identical(ours$method, "Pearson's chi-square")
  }
  right <- truth == decision
  same("accuracy", right, TRUE)
  same("sensitivity", right, truth == "b")
  same("specificity", right, truth == "a")
  same("precision", right, decision == "b")
  same("npv", right, decision == "a")
  same("f1", right, truth == "b" | decision == "b")
})

test_that("one-vs-rest proportions are tested so, too", {
  table <- grouped(9, n = 300, k = 3)
  decision <- c("a", "b", "c")[max.col(table[paste0("pred_prob_", c("a", "b", "c"))], "first")]
  rows <- table$true_label == "b"
  found <- slices(table, by = "site")
  expect_equal(
    test_of(found, "sensitivity", "b")$statistic,
    by_chisq(decision[rows] == "b", table$site[rows])$statistic[[1]]
  )
  rows <- table$true_label == "c" | decision == "c"
  expect_equal(
    test_of(found, "f1", "c")$statistic,
    by_chisq((table$true_label == decision)[rows], table$site[rows])$statistic[[1]]
  )
  accuracy <- by_chisq(table$true_label == decision, table$site)$statistic[[1]]
  expect_equal(test_of(found, "f1", estimator = "micro")$statistic, accuracy)
})

test_that("slices at 0 and at 1 count in the test of a proportion", {
  site <- rep(c("A", "B", "C"), each = 40)
  truth <- rep("pos", 120)
  score <- ifelse(site == "A", 0.75, ifelse(site == "B", 0.25, rep(c(0.25, 0.75), 60)))
  found <- slices(binary(truth, score, site = site), by = "site", conf_level = 0.9)
  theirs <- by_chisq(score > 0.5, site)$statistic[[1]]
  expect_equal(test_of(found, "accuracy")$statistic, theirs)
  expect_equal(test_of(found, "sensitivity")$statistic, theirs)
  # Jaccard is the sensitivity here: all rows are positive.
  expect_equal(test_of(found, "f1")$statistic, theirs)

  same <- slices(binary(truth, rep(0.75, 120), site = site), by = "site")
  expect_identical(
    test_of(same, "accuracy")$reason, "no test: the estimate of every slice is 1"
  )
  expect_identical(test_of(same, "accuracy")$p_value, NA_real_)
})

test_that("Cochran's Q is that of a published meta-analysis", {
  # Viechtbauer (2010) <doi:10.18637/jss.v036.i03>, section 4.1: the log relative risks of 13 trials
  # of the BCG vaccine, Q(df = 12) = 152.2330.
  tpos <- c(4, 6, 3, 62, 33, 180, 8, 505, 29, 17, 186, 5, 27)
  tneg <- c(119, 300, 228, 13536, 5036, 1361, 2537, 87886, 7470, 1699, 50448, 2493, 16886)
  cpos <- c(11, 29, 11, 248, 47, 372, 10, 499, 45, 65, 141, 3, 29)
  cneg <- c(128, 274, 209, 12619, 5761, 1079, 619, 87892, 7232, 1600, 27197, 2338, 17825)
  log_risk <- log(tpos / (tpos + tneg)) - log(cpos / (cpos + cneg))
  error <- sqrt(1 / tpos - 1 / (tpos + tneg) + 1 / cpos - 1 / (cpos + cneg))
  expect_equal(cochran_q(log_risk, error), 152.2330, tolerance = 1e-6)
})

test_that("other numbers are tested by Cochran's Q on the scale of their range", {
  table <- grouped(10, n = 240)
  found <- slices(table, by = "site")
  # As a test of contrasts between slices: another form of the same statistic.
  contrast_q <- function(estimate, variance) {
    contrast <- cbind(-1, diag(length(estimate) - 1))
    difference <- contrast %*% estimate
    drop(t(difference) %*% solve(contrast %*% diag(variance) %*% t(contrast), difference))
  }
  parts <- split(table, table$site)
  each <- function(f) vapply(parts, f, c(estimate = 0, variance = 0))
  same <- function(metric, moments, method) {
    expect_equal(test_of(found, metric)$statistic, contrast_q(moments[1, ], moments[2, ]))
    expect_identical(test_of(found, metric)$method, method)
    expect_equal(
      test_of(found, metric)$p_value,
      1 - pchisq(contrast_q(moments[1, ], moments[2, ]), 2)
    )
  }
  same("roc_auc", each(function(part) {
    positive <- part$true_label == "b"
    score <- part$pred_prob_b
    ends <- delong_interval(score[positive], score[!positive], 2 * pnorm(1) - 1)
    auc <- mean(ends)
    c(log(auc / (1 - auc)), (diff(ends) / 2 / auc / (1 - auc))^2)
  }), "Cochran's Q (logit)")
  same("brier_score", each(function(part) {
    loss <- (part$pred_prob_b - (part$true_label == "b"))^2
    spread <- mean((loss - mean(loss))^2) / length(loss)
    c(qlogis(mean(loss)), spread / (mean(loss) * (1 - mean(loss)))^2)
  }), "Cochran's Q (logit)")
  same("log_loss", each(function(part) {
    of_truth <- ifelse(part$true_label == "b", part$pred_prob_b, part$pred_prob_a)
    loss <- -log(pmax(of_truth, .Machine$double.eps))
    c(log(mean(loss)), mean((loss - mean(loss))^2) / length(loss) / mean(loss)^2)
  }), "Cochran's Q (log)")
  expect_identical(on_scale(-3, 2, "identity"), list(estimate = -3, std_error = 2))
  # By numerical derivatives in the four shares.
  same("cohen_kappa", each(function(part) {
    counts <- table(part$pred_prob_b >= 0.5, part$true_label == "b") / nrow(part)
    value <- function(p) {
      p <- matrix(p, 2) / sum(p)
      expected <- sum(rowSums(p) * colSums(p))
      atanh((sum(diag(p)) - expected) / (1 - expected))
    }
    step <- 1e-5
    slope <- vapply(1:4, function(i) {
      h <- step * (1:4 == i)
      (value(counts + h) - value(counts - h)) / (2 * step)
    }, 0)
    c(value(counts), sum(counts * (slope - sum(counts * slope))^2) / nrow(part))
  }), "Cochran's Q (Fisher z)")
})

test_that("p-values are adjusted within a group by Holm's rule", {
  found <- slices(grouped(11), by = c("site", "sex"))
  for (group in c("site", "sex")) {
    tests <- found$homogeneity[found$homogeneity$group == group, ]
    p <- tests$p_value[!is.na(tests$p_value)]
    ranked <- order(p)
    m <- length(p)
    expected <- numeric(m)
    expected[ranked] <- pmin(1, cummax(p[ranked] * (m - seq_len(m) + 1)))
    expect_equal(tests$p_adjusted[!is.na(tests$p_value)], expected)
  }
})

test_that("a slice without a standard error is left out by name", {
  table <- binary(
    rep(c("neg", "pos"), 90), c(rep(c(0.25, 0.75), 30), rep(c(0.25, 0.75, 0.5, 0.25), 30)),
    site = rep(c("perfect", "A", "B"), each = 60)
  )
  test <- test_of(slices(table, by = "site"), "roc_auc")
  expect_identical(test$reason, "left out: slice 'perfect' without a standard error")
  expect_identical(test$slices, 2L)
  expect_equal(test$statistic, 0)
})

test_that("the tests keep their level where all slices are alike", {
  set.seed(12)
  p_values <- vapply(1:200, function(i) {
    score <- runif(400)
    truth <- c("neg", "pos")[rbinom(400, 1, score) + 1]
    table <- binary(truth, score, site = sample(c("A", "B", "C", "D"), 400, TRUE))
    slices(table, by = "site", metrics = "brier_score")$homogeneity$p_value
  }, 0)
  # Within three standard errors of 5%.
  expect_lt(abs(mean(p_values < 0.05) - 0.05), 3 * sqrt(0.05 * 0.95 / 200))
})

# --- weights ------------------------------------------------------------------

test_that("case weights count in slices as they do in the whole", {
  table <- grouped(13)
  plain <- slices(table, by = "site")
  expect_identical(slices(cbind(table, weight = 2), by = "site")$values, plain$values)
  weight <- sample(1:3, nrow(table), TRUE)
  weighted <- slices(cbind(table, weight = weight), by = "site")
  copies <- slices(table[rep(seq_len(nrow(table)), weight), ], by = "site")
  expect_equal(weighted$values$estimate, copies$values$estimate)
  expect_identical(weighted$values$n, plain$values$n)
  larger <- slices(cbind(table, weight = weight / 7), by = "site")
  expect_equal(larger$homogeneity$statistic, weighted$homogeneity$statistic)
})

test_that("weighted proportions are tested on the counts of Rao and Scott (1992)", {
  table <- cbind(grouped(14), weight = sample(1:4, 200, TRUE))
  right <- (table$pred_prob_b >= 0.5) == (table$true_label == "b")
  # Each slice's counts divided by its design effect: the variance of the weighted share over that
  # of a simple random sample.
  counts <- vapply(split(seq_along(right), table$site), function(rows) {
    w <- table$weight[rows]
    share <- sum(w * right[rows]) / sum(w)
    size <- share * (1 - share) / (sum((w * (right[rows] - share))^2) / sum(w)^2)
    size * c(share, 1 - share)
  }, c(0, 0))
  theirs <- suppressWarnings(chisq.test(counts, correct = FALSE))
  expect_equal(
    test_of(slices(table, by = "site"), "accuracy")$statistic, theirs$statistic[[1]]
  )
})

# --- properties ---------------------------------------------------------------

test_that("the order of the rows, and the names of the groups, change nothing", {
  table <- grouped(15, k = 3)
  found <- slices(table, by = list("site", c("sex", "site")))
  shuffled <- slices(table[sample(nrow(table)), ], by = list("site", c("sex", "site")))
  expect_equal(shuffled, found)
  renamed <- table
  renamed$site <- c(A = "Z", B = "Y", C = "X")[table$site]
  other <- slices(renamed, by = "site")
  expect_identical(in_slice(other, "Y"), in_slice(found, "B"))
  of_site <- found$homogeneity$group == "site"
  expect_equal(other$homogeneity$statistic, found$homogeneity$statistic[of_site])
  expect_identical(
    slices(data.table::as.data.table(table), by = "site"), slices(table, by = "site")
  )
})

test_that("degenerate slices are no error", {
  table <- grouped(16, n = 12)
  table$own <- as.character(1:12)
  found <- slices(table, by = c("own", "site"), minimum = 1)
  expect_identical(nrow(found$values), 15L * nrow(found$overall))
  undefined <- is.na(found$values$estimate)
  expect_false(anyNA(found$values$reason[undefined]))
  untested <- is.na(found$homogeneity$p_value)
  expect_false(anyNA(found$homogeneity$reason[untested]))
  expect_output(print(found))
  one <- slices(table[1, ], by = "site")
  expect_identical(one$n, 1L)
  expect_output(print(one), "no worst slice")
})

# --- shown and refused --------------------------------------------------------

test_that("slices print within 80 columns, the worst first", {
  skip_if_not(l10n_info()$`UTF-8`)
  table <- grouped(17, k = 3)
  table$site[1:40] <- strrep("a long name ", 10)
  table$many <- as.character(rep(1:25, 8))
  names(table)[names(table) == "sex"] <- strrep("g", 70)
  found <- slices(table, by = list("site", "many", strrep("g", 70), c("site", strrep("g", 70))))
  lines <- capture.output(print(found))
  expect_lte(max(nchar(lines)), 80)
  expect_match(lines, "and 5 more", all = FALSE)
  first <- lines[grep("^by 'site', 4 slices", lines) + 2]
  worst <- found$worst[found$worst$group == "site" & found$worst$metric == "accuracy", ]
  expect_match(first, sprintf("%.4f", worst$estimate), fixed = TRUE)
})

test_that("slices are data frames by broom's names", {
  found <- slices(grouped(18), by = c("site", "sex"), metrics = c("accuracy", "roc_auc"))
  expect_identical(as.data.frame(found), found$values)
  expect_identical(names(tidy(found)), c(
    "group", "level", "n", "term", "estimator", "class", "estimate", "std.error", "conf.low",
    "conf.high", "method", "reason"
  ))
  row <- glance(found)
  expect_identical(row$slices, 5L)
  expect_identical(row$tests, 4L)
  expect_identical(row$p.value, min(found$homogeneity$p_adjusted))
  none <- slices(grouped(18), by = "site", minimum = 1000)
  expect_identical(glance(none)$p.value, NA_real_)
})

test_that("what is no group, metric or minimum is refused with what there is", {
  table <- cbind(grouped(19), weight = 1, id = as.character(1:200), pred_label = "a")
  refusal <- function(...) {
    conditionMessage(expect_error(slices(table, ...), class = "rside_error_argument"))
  }
  expect_match(refusal(by = "clinic"), "'clinic'.*'site', 'sex'")
  for (name in c("id", "true_label", "pred_label", "weight", "pred_prob_a")) {
    expect_match(refusal(by = list("sex", c("site", name))), paste0("'", name, "'"), fixed = TRUE)
  }
  for (by in list(NULL, character(), 1, NA_character_, list("site", 2), c("site", "site"))) {
    expect_match(refusal(by = by), "`by`", fixed = TRUE)
  }
  table[["sex:site"]] <- "x"
  expect_match(refusal(by = list("sex:site", c("sex", "site"))), "More than once: 'sex:site'")
  expect_match(refusal(by = "site", metrics = c("accuracy", "auc")), "'auc'.*'roc_auc', 'average_")
  expect_match(refusal(by = "site", metrics = character()), "`metrics`", fixed = TRUE)
  expect_match(refusal(by = "site", metrics = 1), "`metrics`", fixed = TRUE)
  for (minimum in list(0, NA, "3", c(1, 2))) {
    expect_match(refusal(by = "site", minimum = minimum), "`minimum`", fixed = TRUE)
  }
  expect_match(refusal(by = "site", conf_level = 1), "`conf_level`", fixed = TRUE)
  bare <- expect_error(slices(random_table(1), by = "site"), class = "rside_error_argument")
  expect_match(conditionMessage(bare), "The table has none")
})
