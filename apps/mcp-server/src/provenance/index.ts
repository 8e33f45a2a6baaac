export { NoSuchPlace, readPlace, START, type ThreadPlace } from './thread-place';
export { sayThread, type Shown } from './thread-text';
export { type Piece, type Section, ToolText } from './tool-text';
export { knownWord } from './words';
