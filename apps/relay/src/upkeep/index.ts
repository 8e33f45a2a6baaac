export { UpkeepModule } from './upkeep.module';
