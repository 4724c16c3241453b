/** Answers under way at one server, for the others: what has been said so far, by session and turn. */
export interface TurnHandover {
  /** Returns at once; a later text takes the place of one that is still on its way. */
  publish(sessionId: string, turn: number, text: string): void
  /** Null when nothing is known of it. */
  read(sessionId: string, turn: number): Promise<string | null>
  close(): Promise<void>
}

/** Where servers share nothing but the database: others' answers are known when they are stored. */
export const NO_HANDOVER: TurnHandover = { publish: () => undefined, read: async () => null, close: async () => undefined }
