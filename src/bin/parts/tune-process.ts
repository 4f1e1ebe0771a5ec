// Settings of V8's threads for a process that serves the data port.
import { nodeOptions } from '../../foundation/config/load-config.js';
import { letHelpersGiveWay } from '../../foundation/threads/give-way.js';

/**
 * V8's helper threads also collect and compile for the threads in the background, at normal priority: on two cores that
 * delayed requests.
 */
const helperNiceness = 10;

/** Called before anything else: `letHelpersGiveWay` finds the helper threads by their age. */
export function tuneProcess(): void {
  letHelpersGiveWay(helperNiceness, nodeOptions());
}
