// The engine suite on the embedded engine with the repeated cases, which the short run leaves out.
import { describeEngine } from './describe-engine.js';
import { newDataDirectory, openEmbedded } from './open-embedded.js';

describeEngine('embedded', () => openEmbedded(newDataDirectory()));
