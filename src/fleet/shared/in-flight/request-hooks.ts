/** What everybody has who leads or follows a request over instances. */
import type { FleetDatabase } from '../../database.ts';
import type { Notices } from '../../notices.ts';
import type { Pulse } from '../pulse.ts';
import type { Reach } from '../reach.ts';

export type RequestParts = {
  database: FleetDatabase;
  notices: Notices;
  reach: Reach;
  pulse: Pulse;
};

/** What leads and follows. */
export type RequestHooks = RequestParts & {
  /** Another request began anew with this name beside this request. */
  onOvertaken(name: string, id: string): void;
};
