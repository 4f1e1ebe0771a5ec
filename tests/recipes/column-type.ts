// The recipe for a column type.
import assert from 'node:assert/strict';
import type { FollowedRecipe } from './follow-recipes.js';
import { sendCommands } from './send-commands.js';

const year = `// The year type: an integer of 16 bits.
import type { ColumnType } from './column-type.js';
import { smallint } from './integers.js';

export const year: ColumnType<number> = {
  ...smallint,
  name: 'year',
  help: 'a year; a JSON number',
  input: { kind: 'integer', bits: 16, example: '1969' },
};
`;

/** Adds years. */
export const columnTypeRecipe: FollowedRecipe = {
  title: 'A column type',
  files: { 'src/data-service/column-types/years.ts': year },
  changes: [
    {
      path: 'src/data-service/column-types/registry.ts',
      from: "import { timeuuid, uuid } from './uuids.js';",
      to: "import { timeuuid, uuid } from './uuids.js';\nimport { year } from './years.js';",
    },
    {
      path: 'src/data-service/column-types/registry.ts',
      from: '  duration,\n]',
      to: '  duration,\n  year,\n]',
    },
  ],
  async find({ server, load, read }) {
    const replies = await sendCommands(server, [
      [
        '',
        '{"createTable":{"name":"films","definition":{"columns":{"id":"int","made":"year"},"primaryKey":"id"}}}',
      ],
      ['/films', '{"insertOne":{"document":{"id":1,"made":1968}}}'],
      ['/films', '{"findOne":{"filter":{"made":{"$gt":1967}}}}'],
    ]);
    assert.match(replies.at(-1) ?? '', /"made":1968.*"made":\{"type":"year"\}/);
    assert.match(read('docs/column-types.md'), /\n## year\n/);
    // The import of files writes its values, and refuses what is beyond its range.
    const { columnWriter } =
      await load<typeof import('../../src/files/field-value.js')>('src/files/field-value.js');
    const write = columnWriter('year', { decimal: '.', thousands: '' });
    assert.deepEqual([write(' 1969 '), write('32768')], ['1969', undefined]);
    // The forms of the console are drawn from this.
    const { describedType } = await load<typeof import('../../src/descriptions/type-description.js')>(
      'console-modules/src/descriptions/type-description.js',
    );
    const uses = ['create', 'insert', 'filter', 'order'] as const;
    assert.deepEqual(describedType('year'), {
      name: 'year',
      kind: 'integer',
      bits: 16,
      example: '1969',
      uses,
    });
  },
};
