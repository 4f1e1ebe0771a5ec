// Why a follower does not become the first server.

/** The server cannot become the first one now. The message is for the user. */
export class PromotionRefused extends Error {}

/** Only a person can know whether something is lost by it. Force lifts the refusal. The message is for the user. */
export class PromotionUncertain extends PromotionRefused {}
