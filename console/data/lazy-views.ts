// The parts of the Data screen that few visits need: they are loaded when they are first shown.
import { lazily } from '../parts/lazy.js';

/** The editor of commands. */
export const CommandsView = lazily(async () => (await import('./commands-view.js')).CommandsView);
/** The form that saves rows as a file. */
export const ExportDialog = lazily(async () => (await import('./export-dialog.js')).ExportDialog);
/** The question before all that matches is deleted. */
export const DeleteMatching = lazily(async () => (await import('./delete-matching.js')).DeleteMatching);
/** The form that creates a table or collection for a file. */
export const CreateFromFile = lazily(async () => (await import('./create-from-file.js')).CreateFromFile);
/** The form that inserts several. */
export const InsertMany = lazily(async () => (await import('./insert-many.js')).InsertMany);
/** The form that inserts the rows of a file. */
export const ImportFile = lazily(async () => (await import('./import-file.js')).ImportFile);
