/** For `node --import`: the clock of the process is off by SHIFTED_DAYS, in every thread. */
const shiftMs = Number(process.env.SHIFTED_DAYS ?? '0') * 24 * 60 * 60_000;
const RealDate = Date;

class ShiftedDate extends RealDate {
  constructor(...given: readonly unknown[]) {
    // @ts-expect-error: whatever Date takes
    super(...(given.length === 0 ? [RealDate.now() + shiftMs] : given));
  }

  static override now(): number {
    return RealDate.now() + shiftMs;
  }
}

globalThis.Date = ShiftedDate as DateConstructor;
