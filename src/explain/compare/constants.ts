/**
 * Tuned constants of a comparison in one table: each group names the source of its values, and each line their meaning.
 * `npm run bench:verdicts` and the planted differences of test/compare/laboratory show the effect of a change.
 */

/*
 * Variation of scores. Measured: two runs of one page differ by at most `usualNoisePoints` in 88 of 100 pairs
 * (docs/internals/laboratory.md). `leastPoints` and `sameScorePoints` follow from rounding.
 */

/** Usual difference between single runs of an unchanged page; a larger one needs a cause. */
export const usualNoisePoints = 5;
/** Min points of a cause: fewer come from rounding. */
export const leastPoints = 0.5;
/** Min points of a cause that is stated, even if it was computed exactly. */
export const leastStatedPoints = 2;
/** Min number of runs for a range: with fewer, a single run has a large effect on it. */
export const enoughRuns = 5;
/** Max difference between a load and its re-audit: Lighthouse rounds each score to a hundredth. */
export const sameScorePoints = 1;
/** Min share of a metric that is named. */
export const leastMetricShare = 2 / 3;

/*
 * Variation of machines. Measured: one machine has a benchmark index of 2,850 when idle and 840 when busy
 * (docs/internals/attribution.md). The latencies are those of a busy machine in that measurement.
 */

/** Max ratio of benchmark indices that is noise. A larger one is only a possible cause. */
export const benchmarkNoise = 3;
/** The same ratio if the CPU limits differ too: the indices only have to confirm what the limits suggest. */
export const limitedNoise = 1.3;
/** Latencies of one server vary from load to load, more on a busy machine; smaller differences are noise. */
export const latencyNoise = { serverMs: 200, serverRatio: 2, roundTripMs: 50 };
/** Min ratio between the numbers of processors that two sides may use. */
export const limitRatio = 1.3;
/** Min number of processors with which a browser and its controller do not interrupt each other. */
export const enoughProcessors = 2;
/** Min ratio of script times that suggests a slower CPU. Two runs on one machine differ by less. */
export const leastPace = 1.5;
/** Min delay and ratio of a late document, which no busy machine explains. */
export const lateDocument = { ms: 400, ratio: 3 };
/** Min delay and ratio of a late small file, which no busy machine explains. */
export const lateFile = { ms: 800, ratio: 4, mostBytes: 100_000 };
/** Min difference of response times that one busy machine does not explain. */
export const lateResponseMs = 400;
/** Max difference between the clocks of two machines. */
export const clocksApartMs = 120_000;
/** Min age of a cached result that the verdict mentions. */
export const oldSeconds = 60;
/** Min number of browser milestones that may change measurements: about a year of releases. */
export const farMilestones = 10;

/*
 * Variation of scripts. Tuned with the planted differences of test/compare/laboratory and pairs of real loads;
 * `unlistedMs` is the least that Lighthouse lists (core/audits/bootup-time.js).
 */

/** Min time of a script in a comparison of CPU speeds; shorter times are too inaccurate. */
export const leastTimedMs = 20;
/** Max ratio between the bytes of one script on both sides, for comparing its times. */
export const sameBytesRatio = 1.2;
/** Number and share of the scripts that must agree with the median, and the max ratio. */
export const scriptAgreement = { least: 3, share: 0.7, ratio: 1.5 };
/** Min ratio between the times of a script that did different work, with any processors. */
export const scriptRatio = 3;
/** Min time of a script that counts as different work. */
export const leastScriptMs = 150;
/** Min throttled time of a script that Lighthouse lists: an omitted script may have run this long. */
export const unlistedMs = 50;
/** Min ratio between the times of a script that may have done different work; a busy machine also causes it. */
export const longerRatio = 1.8;
/** Max ratio between two times of the same scripts. */
export const sameWorkRatio = 1.3;
/** Min total work for a comparison; less is too inaccurate. */
export const leastWorkMs = 50;
/** Max difference between two paints of one page; or a quarter of the simulated difference. */
export const alikePaints = { ratio: 1.5, ms: 150, share: 0.25 };

/*
 * Variation of files and images of one page. Tuned with the planted differences of test/compare/laboratory: each
 * planted difference is named, and none of the harmless ones (docs/internals/laboratory.md).
 */

/** Min size of an added rule or line: files on a page's own host are mostly the same for every visitor. */
export const leastRuleBytes = 4;
/** Max ratio between the mean sizes of images, if each side loaded a different number. */
export const sameSizeRatio = 1.5;
/** Min ratio between two sizes of a file that do not differ by chance. */
export const otherSizeRatio = 1.5;
/** Min difference between two sizes of a file that do not differ by chance. */
export const otherSizeBytes = 10_000;
/** Min size of a file that is empty on one side. */
export const leastEmptiedBytes = 1000;
/** Min differences of data responses: those for individual visitors differ by less. */
export const otherData = { bytes: 1_000_000, ratio: 3 };
/** Min difference of a file that suggests a different version. It is listed although it costs almost nothing. */
export const otherVersion = { bytes: 1000, ratio: 1.2 };
/** Transferred share of the uncompressed size: at most `packed` if compressed, at least `open` if not. */
export const packedShares = { packed: 0.7, open: 0.95 };
/** Max ratio between the uncompressed sizes of the same file. */
export const sameTextRatio = 1.05;
/** Smallest picture, in bytes, that counts as content; smaller ones usually count visits. */
export const leastPictureBytes = 200;
/** Limits of alternating third-party ads: ratio of bytes, difference of script time, share of the load. */
export const turnLimits = { ratio: 2, ms: 50, share: 0.25 };
/** Min bytes of one-sided files that change a page, if they also have `noticedShare`; fewer are usually counters. */
export const noticedBytes = 20_000;
/** Min time of a one-sided script that changes a page, regardless of its size. */
export const noticedScriptMs = 50;
/** Min share of one-sided files in the size of the whole load. */
export const noticedShare = 0.05;
/** Min difference of two screenshots on one machine, where loads of a page without moving parts differ by 0 percent. */
export const leastPicturePercent = 2;
/** Min difference of two screenshots on different machines, which have different fonts. */
export const leastCoarsePercent = 10;
/** Difference of two screenshots beyond which the page is different if anything else differs. */
export const largePicturePercent = 25;
/** Min differences between the two documents. Smaller ones are attributed to single requests. */
export const otherDocument = { ratio: 1.5, bytes: 500 };

/* Weights of evidence that the page was different: two with half of `sure` are enough. Tuned likewise. */

/** Weight of a difference that is enough by itself. */
export const sure = 2;
/** Weight of a difference of which two are enough. */
export const likely = 1;
/** Weight of a difference that is enough together with any other. */
export const strong = 1.75;
/** Weight of a difference of which four are enough. */
export const slight = 0.5;
/** Weight of a difference that is mentioned only if nothing else explains the scores. */
export const negligible = 0.25;
/** Min weight for doubting another cause. */
export const doubtful = slight + negligible;
