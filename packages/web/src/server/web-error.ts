import { NodeError } from '@keelson/primitives'

export class WebError extends NodeError<'web/files' | 'web/abis'> {}
