export interface ImportTimes {
  readonly decodeMs: number
  readonly sendersMs: number
  readonly executionMs: number
  readonly rootMs: number
  readonly commitMs: number
  readonly totalMs: number
}

export const IMPORT_STEPS = ['decodeMs', 'sendersMs', 'executionMs', 'rootMs', 'commitMs', 'totalMs'] as const
