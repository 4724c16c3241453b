import { NodeError } from '@keelson/primitives'

export type DevnetErrorCode = 'node/usage' | 'node/devnet'

export class DevnetError extends NodeError<DevnetErrorCode> {}
