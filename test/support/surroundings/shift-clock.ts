/** For `node --import`: shifts the clock of the process, in every thread, by SHIFTED_DAYS. */
const shiftMs = Number(process.env.SHIFTED_DAYS ?? '0') * 24 * 60 * 60_000;
const RealDate = Date;

class ShiftedDate extends RealDate {
  constructor(...given: readonly unknown[]) {
    // @ts-expect-error: any arguments that Date accepts
    super(...(given.length === 0 ? [RealDate.now() + shiftMs] : given));
  }

  static override now(): number {
    return RealDate.now() + shiftMs;
  }
}

globalThis.Date = ShiftedDate as DateConstructor;
