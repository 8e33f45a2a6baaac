export { isInvisible } from './invisible';
export { messageSections, type Section } from './sections';
export { shellWord } from './shell-word';
export { visible, visibleJson, visibleLine } from './visible';
