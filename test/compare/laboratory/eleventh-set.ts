/**
 * Ten kinds of pages, with differences that each may have between two loads. Their author knew a description of the
 * rules, not their code.
 */
import { applications } from './eleventh-set/applications.ts';
import { media } from './eleventh-set/media.ts';
import { nothings } from './eleventh-set/nothing.ts';
import { shopAndNews } from './eleventh-set/shop-and-news.ts';
import { texts } from './eleventh-set/texts.ts';
import type { PurePlant } from './pure-plants.ts';

export const eleventhSet: readonly PurePlant[] = [...shopAndNews, ...applications, ...texts, ...media, ...nothings];
