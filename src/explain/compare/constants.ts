/**
 * The tuned constants of a comparison, in one table: each group says where its values come from, each line what it
 * means. `npm run bench:verdicts` and the plants of test/compare/laboratory show what a change does.
 */

/*
 * How scores vary. Measured: two runs of one page differ by at most `usualNoisePoints` in 88 of 100 pairs
 * (docs/internals/laboratory.md). The others round what a score cannot show.
 */

/** Usual difference between single runs of an unchanged page; a larger one needs a cause. */
export const usualNoisePoints = 5;
/** Less is rounding: it explains nothing. */
export const leastPoints = 0.5;
/** A statement of less is none, however well it is computed. */
export const leastStatedPoints = 2;
/** With fewer runs each of them says much of how far they are apart. */
export const enoughRuns = 5;
/** A re-audit of unchanged settings gives the same scores; Lighthouse rounds each to a hundredth. */
export const sameScorePoints = 1;
/** A metric with a smaller share is not named. */
export const leastMetricShare = 2 / 3;

/*
 * How machines vary. Measured: one machine has a benchmark index of 2,850 alone and 840 while it is busy
 * (docs/internals/attribution.md). Latencies are those of a busy machine there.
 */

/**
 * The benchmark index is a rough measure: one machine gives 2,850 alone and 840 while it is busy. A smaller difference
 * says nothing of the machines, and a larger one only what is possible.
 */
export const benchmarkNoise = 3;
/** Where the sides say that they may use other numbers of processors, the index only has to agree. */
export const limitedNoise = 1.3;
/** Latencies of one server vary from load to load, more so on a busy machine; below these a difference is noise. */
export const latencyNoise = { serverMs: 200, serverRatio: 2, roundTripMs: 50 };
/** Between the numbers of processors that two sides may use. */
export const limitRatio = 1.3;
/** A browser and what steers it work at the same time: with fewer processors they interrupt each other. */
export const enoughProcessors = 2;
/** Two runs on one machine differ by less. */
export const leastPace = 1.5;
/** So much later, and so many times: the answer of a server that no busy machine explains, whatever it costs. */
export const lateDocument = { ms: 400, ratio: 3 };
/** So much longer, and so many times, one small answer takes on no busy machine. */
export const lateFile = { ms: 800, ratio: 4, mostBytes: 100_000 };
/** A smaller difference is usual on one machine while it is busy. */
export const lateResponseMs = 400;
/** The clocks of two machines differ. */
export const clocksApartMs = 120_000;
/** An answer of a minute ago is as good as new. */
export const oldSeconds = 60;
/** About a year of releases: what a neighbouring one measures is the same but for rare pages. */
export const farMilestones = 10;

/*
 * How scripts vary. Tuned with the plants of test/compare/laboratory and pairs of real loads; `unlistedMs` is
 * the least that Lighthouse lists (core/audits/bootup-time.js).
 */

/** Shorter ones are measured too roughly. */
export const leastTimedMs = 20;
/** Between the bytes of one script on both sides, for its times to be compared. */
export const sameBytesRatio = 1.2;
/** So many scripts, and of all of them such a share, lie so near to the one in the middle. */
export const scriptAgreement = { least: 3, share: 0.7, ratio: 1.5 };
/** From here on a script of both sides did other work, whatever the processors. */
export const scriptRatio = 3;
/** Nor is less of a script other work. */
export const leastScriptMs = 150;
/** Lighthouse lists no script of less, as it slowed it down: what is not listed may have run for so long. */
export const unlistedMs = 50;
/** So many times as long takes a script on a machine that is held up: this says little. */
export const longerRatio = 1.8;
/** So far apart are two times of the same scripts. */
export const sameWorkRatio = 1.3;
/** Less work in all is measured too roughly. */
export const leastWorkMs = 50;
/** Two paints of one page; or as far apart as a quarter of what the simulation made of it. */
export const alikePaints = { ratio: 1.5, ms: 150, share: 0.25 };

/*
 * How files and pictures of one page vary. Tuned with the plants of test/compare/laboratory: each planted
 * difference is named, and of those that are nothing none is (docs/internals/causes.md).
 */

/** Another rule or line: what a page has on its own host is mostly the same for every visitor. */
export const leastRuleBytes = 4;
/** Between the mean sizes of pictures that each side loaded another number of. */
export const sameSizeRatio = 1.5;
/** Between two sizes of a file that are no accident, */
export const otherSizeRatio = 1.5;
/** and their difference. */
export const otherSizeBytes = 10_000;
/** An empty file on one side only is another one, however small. */
export const leastEmptiedBytes = 1000;
/** No visitor's own answer differs by so much. */
export const otherData = { bytes: 1_000_000, ratio: 3 };
/** A little more or less of a file that is no visitor's own: another version of it, which costs next to nothing. */
export const otherVersion = { bytes: 1000, ratio: 1.2 };
/** Headers are a part of what went over the network. */
export const packedShares = { packed: 0.7, open: 0.95 };
/** Between the unpacked sizes of a file that is the same. */
export const sameTextRatio = 1.05;
/** Smallest picture, in bytes, that counts as content; smaller ones usually count visits. */
export const leastPictureBytes = 200;
/** About as many bytes and as much work on both sides, in a small part of the page: advertisers took turns. */
export const turnLimits = { ratio: 2, ms: 50, share: 0.25 };
/** Smallest file that changes a page; smaller ones are usually counters. */
export const noticedBytes = 20_000;
/** The same of the work of a script, */
export const noticedScriptMs = 50;
/** and of the bytes of the whole load. */
export const noticedShare = 0.05;
/** Two loads of a page without moving parts give the same picture: 0 percent. */
export const leastPicturePercent = 2;
/** Another machine has other fonts. */
export const leastCoarsePercent = 10;
/** More is another page, with anything else that differs. */
export const largePicturePercent = 25;
/** From here on it is not single requests that differ. */
export const otherDocument = { ratio: 1.5, bytes: 500 };

/*
 * How much a difference says that the page was another one: two that are worth half of `sure` are as good.
 * Tuned with the same plants.
 */

/** Enough by itself; two that are worth half of it are as good. */
export const sure = 2;
/** Half enough. */
export const likely = 1;
/** Enough together with anything else. */
export const strong = 1.75;
/** A quarter of enough. */
export const slight = 0.5;
/** Worth a word only if nothing else explains the scores. */
export const negligible = 0.25;
/** Enough to doubt another reason. */
export const doubtful = slight + negligible;
