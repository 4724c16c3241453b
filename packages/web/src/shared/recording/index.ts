export * from './recording.ts'
export { RecordingReader } from './recording-reader.ts'
