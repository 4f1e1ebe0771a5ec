// Why the files of a local model cannot be used.

/** A model cannot be used. The message is a sentence that names the file, without the name of the model. */
export class ModelProblem extends Error {}
