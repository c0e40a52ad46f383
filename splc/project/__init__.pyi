from splc.project.project import Project as Project
