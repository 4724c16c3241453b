import { SeverityError } from '@keelson/primitives'

export type BatcherErrorCode =
  | 'batcher/config'
  /** Temporary: the execution client does not have a block yet that the consensus client reports. */
  | 'batcher/block-missing'
  | 'batcher/block-unbatchable'

export class BatcherError extends SeverityError<BatcherErrorCode> {}
