// What the tour prints.

import type { FoundPackage } from './answer-questions.js';
import type { LoadReport } from './load-packages.js';
import type { LicenceRow } from './package-tables.js';
import type { PackageRow } from './read-package.js';

/** What the questions were about, and their answers. */
export interface Answers {
  readonly package: string;
  readonly licence: string;
  readonly described: { readonly stored: PackageRow; readonly firstWords: string | null } | null;
  readonly largest: readonly LicenceRow[];
  readonly about: string;
  readonly found: readonly FoundPackage[];
  readonly dependencies: { readonly independent: number; readonly all: number };
}

/** What was loaded, with everything that was odd about it. */
export function renderLoad(modules: string, { packageCount, totalBytes, skipped, odd }: LoadReport): string {
  return lines([
    `Loaded ${packageCount} packages of ${modules}, ${kilobytes(totalBytes)} kB on disk.`,
    ...odd.map(({ folder, oddities }) => `  odd:     ${folder}: ${oddities}`),
    ...skipped.map(({ folder, problem }) => `  skipped: ${folder}: ${problem}`),
  ]);
}

/** The answers in the order of the questions. */
export function renderAnswers(answers: Answers): string {
  const { package: name, licence, described, largest, about, found } = answers;
  const { independent, all } = answers.dependencies;
  return lines([
    '',
    `Which package is ${name}, and what does its readme say first?`,
    ...(described === null ? ['  It is not installed.'] : renderPackage(described)),
    '',
    `The ${largest.length} largest packages under ${licence}:`,
    ...largest.map(({ size_bytes, folder, version }) =>
      `  ${kilobytes(size_bytes).padStart(8)} kB  ${folder} ${version ?? ''}`.trimEnd(),
    ),
    '',
    `Which packages are about "${about}"?`,
    ...found.map(
      ({ folder, description, similarity }) =>
        `  ${similarity.toFixed(2)}  ${folder}${description === null ? '' : `: ${description}`}`,
    ),
    '',
    'How many packages depend on nothing?',
    `  ${independent} of ${all}.`,
  ]);
}

function renderPackage({ stored, firstWords }: NonNullable<Answers['described']>): readonly string[] {
  const { name, version, licence, description } = stored;
  return [
    `  ${name} ${version ?? '(no version)'}, ${licence}: ${description ?? 'no description'}`,
    `  ${firstWords === null ? 'Its readme says nothing.' : `"${firstWords}"`}`,
  ];
}

function kilobytes(sizeBytes: number | bigint): string {
  return (Number(sizeBytes) / 1000).toFixed(1);
}

function lines(texts: readonly string[]): string {
  return `${texts.join('\n')}\n`;
}
