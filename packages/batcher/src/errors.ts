import { SeverityError } from '@keelson/primitives'

export type BatcherErrorCode =
  | 'batcher/config'
  /** Temporary: the consensus client is ahead of the execution client. */
  | 'batcher/block-missing'
  | 'batcher/block-unbatchable'

export class BatcherError extends SeverityError<BatcherErrorCode> {}
