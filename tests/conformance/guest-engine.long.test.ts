// The engine suite on the embedded engine with rows read and written by a guest, as the thread for large requests does.
import type { Dialect } from '../../src/data-service/column-types/dialect.js';
import { openGuestEngine } from '../../src/data-service/engine/embedded/guest-engine.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { systemClock } from '../../src/foundation/telemetry/clock.js';
import { describeEngine, describeExtendedEngine } from './describe-engine.js';
import { withoutComparisonsOfMostTypes } from './engine-column-type-cases.js';
import { newDataDirectory, openEmbedded } from './open-embedded.js';

describeEngine(
  'guest',
  () => openWithGuest('strict'),
  withoutComparisonsOfMostTypes('a guest has the statements of the embedded engine, which tries them'),
);
describeExtendedEngine('guest', () => openWithGuest('extended'));

/** What goes between the two is copied, as it is between threads. */
async function openWithGuest(dialect: Dialect): Promise<Engine> {
  const dataDirectory = newDataDirectory();
  const { host, ...engine } = bound(await openEmbedded(dataDirectory, { dialect }));
  const options = { dataDirectory, dialect, clock: systemClock, readTimeoutMs: 60_000 };
  const guest = openGuestEngine(options, {
    write: (write) => host.write(structuredClone(write)),
    writeDocuments: async (write) => structuredClone(await host.writeDocuments(structuredClone(write))),
    deleteAll: (table) => host.deleteAll(structuredClone(table)),
    findNearest: async (search) => structuredClone(await host.findNearest(structuredClone(search))),
    schemaGeneration: (wanted) => host.schemaGeneration(wanted),
  });
  return {
    ...engine,
    readRows: (plan) => guest.readRows(plan),
    insertRows: (plan) => guest.insertRows(plan),
    changeRow: (plan) => guest.changeRow(plan),
    deleteRows: (plan) => guest.deleteRows(plan),
    ...(guest.documents && { documents: guest.documents }),
    close: async () => {
      await guest.close();
      await engine.close();
    },
  };
}

type Hosting = Awaited<ReturnType<typeof openEmbedded>>;

function bound(engine: Hosting): Hosting {
  return {
    name: engine.name,
    host: engine.host,
    readSchema: (afterChanges) => engine.readSchema(afterChanges),
    changeSchema: (change) => engine.changeSchema(change),
    readRows: (plan) => engine.readRows(plan),
    insertRows: (plan) => engine.insertRows(plan),
    changeRow: (plan) => engine.changeRow(plan),
    deleteRows: (plan) => engine.deleteRows(plan),
    close: () => engine.close(),
  };
}
