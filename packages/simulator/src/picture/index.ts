export type { Film } from './filmed-run.ts'
export { frameMs, RecordingWriter } from './recording-writer.ts'
export type { Snapshot } from './snapshot.ts'
export { drawPicture, type PictureOptions } from './terminal-picture.ts'
