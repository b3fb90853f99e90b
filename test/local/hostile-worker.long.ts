/** Every breach that a worker may come to: see hostile-worker.test.ts. */
import { afterAnswer, beforeReady, withOrder } from '../support/audits/hostile-worker.ts';
import { testAfterAnswer, testBeforeReady, testOrders } from './hostile-service.ts';

const namesOf = <Breaches extends object>(breaches: Breaches) => Object.keys(breaches) as (keyof Breaches)[];

testOrders(namesOf(withOrder));
testAfterAnswer(namesOf(afterAnswer));
testBeforeReady(namesOf(beforeReady));
