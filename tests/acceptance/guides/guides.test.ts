// The guides and the README show what happens: their files are saved, their commands run, what is printed is compared.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { projectRoot } from '../../tidy/read-sources.js';
import { type GuideBlock, markPart, readBlocks } from './guide-blocks.js';
import { runGuide } from './run-guide.js';

const documents = join(projectRoot, 'docs');
const folder = join(documents, 'guides');
const guides = readdirSync(folder).filter((name) => name.endsWith('.md'));
/** Other documents whose commands are run from top to bottom. */
const ranDocuments = ['backups.md'];
const programs = process.env['PROGRAMS_OF_OTHERS'];
const langchain = programs === undefined ? undefined : join(programs, 'langchain', 'bin', 'python');
/** Pythons that have the packages which guides use, by package, where `.ci/run` has installed them. */
const pythons: Readonly<Record<string, string | undefined>> = {
  astrapy: process.env['ASTRAPY_PYTHON'],
  'langchain-astradb': langchain !== undefined && existsSync(langchain) ? langchain : undefined,
};
const ranLanguages = ['sh', 'js', 'python'];

for (const name of guides) {
  const text = readFileSync(join(folder, name), 'utf8');
  const blocks = readBlocks(text);
  describe(`the guide ${name}`, () => {
    it('has no program that is not saved', () => {
      const isSaved = (block: GuideBlock) =>
        !ranLanguages.includes(block.language) ||
        block.language === 'sh' ||
        markPart(block, 'file') !== undefined;
      assert.deepEqual(
        blocks.filter((block) => !isSaved(block)),
        [],
      );
    });

    const needed = blocks.flatMap((block) => markPart(block, 'needs') ?? []);
    const missing = needed.filter((given) => pythons[given] === undefined);
    it('prints what it shows', async () => {
      const python = needed.flatMap((given) => pythons[given] ?? [])[0] ?? '';
      await runGuide(missing.length === 0 ? blocks : withoutPython(blocks), python);
    });
    if (missing.length > 0)
      it(`runs its Python programs (needs ${missing.join(', ')})`, {
        skip: 'they are not installed; .ci/run installs them',
      });

    it('names options of the server that there are', () => {
      const options = readFileSync(join(projectRoot, 'docs', 'options.md'), 'utf8');
      for (const block of blocks.filter((given) => markPart(given, 'file') === 'colonnade.json'))
        for (const member of Object.keys(JSON.parse(block.content)))
          assert.ok(options.includes(`- in the config file: \`"${member}"\``), member);
    });

    it('shows no token that readers could copy', () => {
      assert.doesNotMatch(text, /COLONNADE_TOKEN=["']?[\w-]/);
    });

    it('has links that lead somewhere', () => {
      const targets = [...text.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map(([, target = '']) => target);
      assert.deepEqual(
        targets.filter((target) => !existsSync(join(folder, target))),
        [],
      );
    });
  });
}

for (const name of readdirSync(documents).filter((each) => each.endsWith('.md'))) {
  const blocks = readBlocks(readFileSync(join(documents, name), 'utf8'));
  if (ranDocuments.includes(name)) it(`docs/${name} shows commands that succeed`, () => runGuide(blocks, ''));
  else
    it(`docs/${name} names the test of each program, or why it has none`, () => {
      for (const block of blocks.filter(({ language }) => ranLanguages.includes(language))) {
        const test = markPart(block, 'run by');
        if (test !== undefined) assert.ok(existsSync(join(projectRoot, test)), test);
        else assert.ok((markPart(block, 'not run') ?? '') !== '', `line ${block.line} has no mark`);
      }
    });
}

it('the README shows commands that print what it shows', () =>
  runGuide(readBlocks(readFileSync(join(projectRoot, 'README.md'), 'utf8')), ''));

it('lists every guide', () => {
  const list = readFileSync(join(folder, 'README.md'), 'utf8');
  for (const name of guides.filter((given) => given !== 'README.md'))
    assert.ok(list.includes(`(${name})`), name);
});

/** The blocks without the Python programs and the commands that run them. */
function withoutPython(blocks: readonly GuideBlock[]): readonly GuideBlock[] {
  const isPython = ({ content, language }: GuideBlock) =>
    language === 'python' || (language === 'sh' && content.startsWith('python '));
  return blocks.filter((block, at) => {
    const before = blocks[at - 1];
    return !isPython(block) && !(before !== undefined && isPython(before) && block.language === 'text');
  });
}
